// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Merges the bundles that the shards of a compilation left into one: `opbyop merge BUNDLE... -o OUT`.
//
//   if (AreCompiledShards(folders)) Expected<MergedRun> merged = MergeBundles(folders, "out/bundle");
//
// The rules are those of manifests/runs/merge_runs.h: a shard that is missing, duplicate, unfinished or of another run
// is refused by name. The shards are not changed.
#ifndef OPBYOP_HARNESS_BUNDLE_MERGE_BUNDLES_H_
#define OPBYOP_HARNESS_BUNDLE_MERGE_BUNDLES_H_

#include <filesystem>
#include <vector>

#include "manifests/runs/merge_runs.h"
#include "support/expected.h"

namespace opbyop::harness {

// True if all of them are bundles and none has been executed. Shards that have been executed are merged like those of
// any run.
bool AreCompiledShards(const std::vector<std::filesystem::path>& folders);

// The errors are those of MergeRuns and LoadBundle. kUsage also if `out` is one of the bundles, or holds files that do
// not belong to a bundle.
Expected<MergedRun> MergeBundles(const std::vector<std::filesystem::path>& bundles, const std::filesystem::path& out);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_BUNDLE_MERGE_BUNDLES_H_
