// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loads the manifest of the cases that a target takes. A target that keeps attributes of the models
// (`keep_attributes`) has cases of its own. `opbyop keep-attributes` writes them, because this room has no MLIR.
//
//   Expected<Manifest> manifest = LoadCases("out/nightly/manifest.yaml", target);
#ifndef OPBYOP_HARNESS_RUN_KEPT_CASES_H_
#define OPBYOP_HARNESS_RUN_KEPT_CASES_H_

#include <filesystem>

#include "manifests/cases/manifest.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop::harness {

// Returns `manifest` itself if it has no attribute that the target keeps.
Expected<Manifest> LoadCases(const std::filesystem::path& manifest, const Target& target);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_KEPT_CASES_H_
