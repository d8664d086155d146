// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The models of a split as one case each: what `opbyop run --mode=whole` runs.
//
//   Expected<Manifest> split = LoadManifest("out/nightly/manifest.yaml");
//   Expected<std::filesystem::path> manifest = WriteWholeModels(*split, "out/nightly/whole");
//
// Each model is read again from its source, which must be what was split (sha256), for the same shapes and entry
// function. Its case is of the op kWholeModel, with every argument of the model as an input: weights are drawn too.
#ifndef OPBYOP_GENERATOR_SPLIT_WHOLE_MODELS_H_
#define OPBYOP_GENERATOR_SPLIT_WHOLE_MODELS_H_

#include <filesystem>

#include "manifests/cases/manifest.h"
#include "support/expected.h"

namespace opbyop::generator {

// The path of the manifest written. A model that cannot be had is in it with its error; where none can, the first
// one's error is returned and nothing is left behind.
Expected<std::filesystem::path> WriteWholeModels(const Manifest& split, const std::filesystem::path& folder);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_WHOLE_MODELS_H_
