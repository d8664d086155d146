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

// The cases that result from one case: itself, if no attribute is kept, and one for each set of kept attributes among
// the origins. Their files do not exist yet.
struct KeptCase {
  Case c;
  std::vector<PlacedAttribute> attributes;  // the kept ones, in the origin's order
};
std::vector<KeptCase> SplitByAttributes(const Case& c, const std::vector<std::string>& dialects);

// Writes `folder` and returns its manifest, or `split.path` if the manifest has no attribute of these dialects. A
// folder with the same contents is not written again; if another process writes it, waits for that process.
Expected<std::filesystem::path> WriteKeptCases(const Manifest& split, const std::vector<std::string>& dialects,
                                               const std::filesystem::path& folder);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_KEPT_ATTRIBUTES_H_
