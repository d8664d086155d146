// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Splits the cases of a split again: first op by op through a compiler's first stages, then the result of those op by
// op.
//
//   opbyop split MODEL -o a && opbyop split a --after ttir-to-ttnn --target tenstorrent -o b
//
// For the splitter, the cases of `a` are programs; their ops belong to the models that the cases came from.
#ifndef OPBYOP_GENERATOR_SPLIT_SPLIT_AGAIN_H_
#define OPBYOP_GENERATOR_SPLIT_SPLIT_AGAIN_H_

#include <filesystem>
#include <vector>

#include "generator/split/model_list.h"
#include "manifests/cases/manifest.h"

namespace opbyop::generator {

// Whether `opbyop split` wrote the folder.
bool IsSplitFolder(const std::filesystem::path& folder);

// The cases of the folder, each named by its id. One source with an error if its manifest cannot be read.
std::vector<ModelSource> ListCases(const std::filesystem::path& folder);

// Replaces the cases of `first` by their models in the origins of `manifest`. Cases that could not be split stay in
// `manifest.models` with their error.
void AttributeToModels(const Manifest& first, Manifest& manifest);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_SPLIT_AGAIN_H_
