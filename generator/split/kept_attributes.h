// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cases of a split as a target gets them that wants attributes of a vendor's dialect (`keep_attributes`). Origins
// whose attributes differ are cases of their own then, each with its attributes in its program.
//
//   Expected<fs::path> manifest = WriteKeptCases(split, {"ttcore"}, "out/kept-tenstorrent");
#ifndef OPBYOP_GENERATOR_SPLIT_KEPT_ATTRIBUTES_H_
#define OPBYOP_GENERATOR_SPLIT_KEPT_ATTRIBUTES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "manifests/cases/manifest.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop::generator {

// What the attributes of the origins make of a case: itself, where none is kept, and one for each set of those that
// are. Their files do not exist yet.
struct KeptCase {
  Case c;
  std::vector<PlacedAttribute> attributes;  // those that are kept, in order of the origin's
};
std::vector<KeptCase> SplitByAttributes(const Case& c, const std::vector<std::string>& dialects);

// Whether any case of it has attributes of these dialects.
bool KeepsAny(const Manifest& split, const std::vector<std::string>& dialects);

// Where the cases of a target are, within the folder of the split: `kept-tenstorrent`.
std::filesystem::path KeptFolder(const Manifest& split, const Target& target);

// Writes `folder` and returns its manifest; `split.path` itself where no attribute of these dialects is in the
// manifest. A folder that holds the same already is left alone.
Expected<std::filesystem::path> WriteKeptCases(const Manifest& split, const std::vector<std::string>& dialects,
                                               const std::filesystem::path& folder);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_KEPT_ATTRIBUTES_H_
