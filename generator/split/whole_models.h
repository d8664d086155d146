// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes each model of a split as one case, for `opbyop run --mode=whole` and `opbyop split --granularity model`.
//
//   Expected<Manifest> split = LoadManifest("out/nightly/manifest.yaml");
//   Expected<std::filesystem::path> manifest = WriteWholeModels(*split, "out/nightly/whole");
//
// Each model is read again from its source, which must be unchanged (sha256), for the same shapes and entry function.
// Its case has the op kWholeModel and every argument of the model as an input: weights are generated, too.
#ifndef OPBYOP_GENERATOR_SPLIT_WHOLE_MODELS_H_
#define OPBYOP_GENERATOR_SPLIT_WHOLE_MODELS_H_

#include <filesystem>
#include <string>

#include "generator/program/program_text.h"
#include "generator/split/model_list.h"
#include "manifests/cases/manifest.h"
#include "support/expected.h"

namespace opbyop::generator {

struct WholeModel {
  Case c;
  std::string text;
};

// A model of a split as one case, without members. `source` says which ranges the arguments have. The text has locations
// only if `locations` keeps them; it has no header then.
Expected<WholeModel> LoadWholeModel(const Manifest& split, const Model& model, const ModelSource& source,
                                    Locations locations = Locations::kDrop);

// Returns the path of the new manifest. A model that cannot be read is in it with its error. If none can be read,
// returns the error of the first one and writes nothing.
Expected<std::filesystem::path> WriteWholeModels(const Manifest& split, const std::filesystem::path& folder);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_WHOLE_MODELS_H_
