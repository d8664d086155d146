// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One bundle of those that the shards of a compilation left: what `opbyop merge BUNDLE... -o OUT` makes.
//
//   if (AreCompiledShards(folders)) Expected<MergedRun> merged = MergeBundles(folders, "out/bundle");
//
// The rules are those of manifests/runs/merge_runs.h: a shard that is missing, there twice, did not end or is of
// another run is refused by name. The shards stay as they are.
#ifndef OPBYOP_HARNESS_BUNDLE_MERGE_BUNDLES_H_
#define OPBYOP_HARNESS_BUNDLE_MERGE_BUNDLES_H_

#include <filesystem>
#include <vector>

#include "manifests/runs/merge_runs.h"
#include "support/expected.h"

namespace opbyop::harness {

// Whether all of them are bundles, and none has been executed: results of shards are merged as those of any run.
bool AreCompiledShards(const std::vector<std::filesystem::path>& folders);

// kUsage and kNoInput as of MergeRuns and LoadBundle; kUsage where `out` is one of them, or holds other files than a
// bundle's.
Expected<MergedRun> MergeBundles(const std::vector<std::filesystem::path>& bundles, const std::filesystem::path& out);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_BUNDLE_MERGE_BUNDLES_H_
