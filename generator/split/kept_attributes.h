// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rewrites the cases of a split for a target that wants attributes of a vendor's dialect (`keep_attributes`). Origins
// whose attributes differ then become separate cases, each with its attributes in its program.
//
//   Expected<fs::path> manifest = WriteKeptCases(split, {"ttcore"}, "out/kept-tenstorrent");
#ifndef OPBYOP_GENERATOR_SPLIT_KEPT_ATTRIBUTES_H_
#define OPBYOP_GENERATOR_SPLIT_KEPT_ATTRIBUTES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "manifests/cases/manifest.h"
#include "support/expected.h"

namespace opbyop::generator {

// Those of `attributes` that are of these dialects, in the same order.
std::vector<PlacedAttribute> KeptOf(const std::vector<PlacedAttribute>& attributes,
                                    const std::vector<std::string>& dialects);

// The hash of a case with kept attributes. Returns `hash`, that of the plain case, if there are none.
std::string HashWith(const std::string& hash, const std::vector<PlacedAttribute>& attributes);

struct KeptCase {
  Case c;
  std::vector<PlacedAttribute> attributes;  // the kept ones, in the origin's order
  const Case* plain = nullptr;              // the case without them
};

// The cases that result from one case: itself, if no attribute is kept, and one for each set of kept attributes among
// the origins. They have the id and the file of the plain case.
std::vector<KeptCase> SplitByAttributes(const Case& c, const std::vector<std::string>& dialects);

// The cases of a whole split, each under its own id. They point to the cases of `split`.
std::vector<KeptCase> KeptCases(const Manifest& split, const std::vector<std::string>& dialects);

// Writes `folder` and returns its manifest, or `split.path` if the manifest has no attribute of these dialects. A
// folder with the same contents is not written again; if another process writes it, waits for that process.
Expected<std::filesystem::path> WriteKeptCases(const Manifest& split, const std::vector<std::string>& dialects,
                                               const std::filesystem::path& folder);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_KEPT_ATTRIBUTES_H_
