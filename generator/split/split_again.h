// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cases of a split, split again: op by op through a compiler's first stages, and what those made op by op further.
//
//   opbyop split MODEL -o a && opbyop split a --after ttir-to-ttnn --target tenstorrent -o b
//
// To the splitter the cases of `a` are programs; their ops belong to the models that the cases came from.
#ifndef OPBYOP_GENERATOR_SPLIT_SPLIT_AGAIN_H_
#define OPBYOP_GENERATOR_SPLIT_SPLIT_AGAIN_H_

#include <filesystem>
#include <vector>

#include "generator/split/model_list.h"
#include "manifests/cases/manifest.h"

namespace opbyop::generator {

// A folder that `opbyop split` wrote.
bool IsSplitFolder(const std::filesystem::path& folder);

// Its cases, each named by its id; one source with an error where its manifest cannot be read.
std::vector<ModelSource> ListCases(const std::filesystem::path& folder);

// Gives the cases of `manifest` the models of `first` as their origins, in place of the cases of `first`. What could
// not be split of these stays in `manifest.models` with its error.
void AttributeToModels(const Manifest& first, Manifest& manifest);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_SPLIT_AGAIN_H_
