// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The manifest of a run that may have been copied from where it was made.
//
//   Expected<fs::path> manifest = FindRunManifest(header, "artifacts/shard-1");
//   SetManifestPath(*manifest, "out/merged", header);      // of a header that will lie elsewhere
#ifndef OPBYOP_MANIFESTS_RUNS_RUN_MANIFEST_H_
#define OPBYOP_MANIFESTS_RUNS_RUN_MANIFEST_H_

#include <filesystem>

#include "manifests/results/result.h"
#include "support/expected.h"

namespace opbyop {

// `given` where it is not empty; else the first that is there of: the path in the header, absolute or from `folder`,
// in which the results lie; the relative one; manifest.yaml in `folder`. Of several that are there one whose bytes are
// those that the run was made from. kNoInput naming all of them where none is there.
Expected<std::filesystem::path> FindRunManifest(const RunHeader& header, const std::filesystem::path& folder,
                                                const std::filesystem::path& given = {});

// As a header of results in `folder` names it: relative where it lies inside, else absolute and relative.
void SetManifestPath(const std::filesystem::path& manifest, const std::filesystem::path& folder, RunHeader& header);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RUNS_RUN_MANIFEST_H_
