// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every value of a YAML file by where it stands, whatever its schema: for comparing two of them.
//
//   YamlLeaves("stages: [{name: lower, timeout_s: 20}]\nflags: [-O2]");
//   // {{"flags", "[\"-O2\"]"}, {"stages.lower.name", "lower"}, {"stages.lower.timeout_s", "20"}}
#ifndef OPBYOP_MANIFESTS_FORMATS_YAML_LEAVES_H_
#define OPBYOP_MANIFESTS_FORMATS_YAML_LEAVES_H_

#include <map>
#include <string>

namespace opbyop {

// A map of a list goes by its `name`, or its place where it has none; a list of scalars is one value, as JSON. Comments
// and the way of writing do not matter. A text that is no YAML is one value under the empty name.
std::map<std::string, std::string> YamlLeaves(const std::string& text);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_FORMATS_YAML_LEAVES_H_
