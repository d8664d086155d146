// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Returns every value of a YAML file by its path, for any schema, so that two files can be compared.
//
//   YamlLeaves("stages: [{name: lower, timeout_s: 20}]\nflags: [-O2]");
//   // {{"flags", "[\"-O2\"]"}, {"stages.lower.name", "lower"}, {"stages.lower.timeout_s", "20"}}
#ifndef OPBYOP_MANIFESTS_FORMATS_YAML_LEAVES_H_
#define OPBYOP_MANIFESTS_FORMATS_YAML_LEAVES_H_

#include <map>
#include <string>

namespace opbyop {

// A map in a list is identified by its `name`, or by its position if it has none. A list of scalars is one value, as
// JSON. Comments and formatting do not matter. A text that is not YAML is one value with an empty path.
std::map<std::string, std::string> YamlLeaves(const std::string& text);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_FORMATS_YAML_LEAVES_H_
