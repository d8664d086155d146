// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the manifest of a run whose folder may have been copied from where it was made.
//
//   Expected<fs::path> manifest = FindRunManifest(header, "artifacts/shard-1");
//   SetManifestPath(*manifest, "out/merged", header);      // for a header in another folder
#ifndef OPBYOP_MANIFESTS_RUNS_RUN_MANIFEST_H_
#define OPBYOP_MANIFESTS_RUNS_RUN_MANIFEST_H_

#include <filesystem>

#include "manifests/results/result.h"
#include "support/expected.h"

namespace opbyop {

// Returns `given` if it is not empty. Otherwise it looks in these places: the path in the header, absolute or from
// `folder`, which holds the results; the relative path; manifest.yaml in `folder`. If several exist, one with the bytes
// that the run was made from is taken, else the first. kNoInput, naming all places, if none exists.
Expected<std::filesystem::path> FindRunManifest(const RunHeader& header, const std::filesystem::path& folder,
                                                const std::filesystem::path& given = {});

// Sets the manifest's path in the header of results in `folder`: relative if it is inside, else absolute and relative.
void SetManifestPath(const std::filesystem::path& manifest, const std::filesystem::path& folder, RunHeader& header);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RUNS_RUN_MANIFEST_H_
