// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Merges the shards of a run into one run: `opbyop merge DIR... -o OUT`.
//
//   Expected<MergedRun> merged = MergeRuns({.inputs = {"node1/out", "node2/out"}, .out = "out/merged/results.jsonl"});
//
// The shards must belong to one run: the same manifest, target, toolchain, policies, seed and everything else that
// decides a result, and the same assignment of cases. Each must exist once and be finished. Anything else is refused by
// name, and nothing is written. Records are copied unchanged, line by line: memory is about 16 bytes per record. A
// damaged line is copied too, and readers of the merged file report it.
#ifndef OPBYOP_MANIFESTS_RUNS_MERGE_RUNS_H_
#define OPBYOP_MANIFESTS_RUNS_MERGE_RUNS_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "manifests/results/result.h"
#include "manifests/results/results_file.h"
#include "manifests/runs/shard_files.h"
#include "support/expected.h"

namespace opbyop {

struct MergeOptions {
  std::vector<std::filesystem::path> inputs;  // folders with shards, or their files
  std::filesystem::path out;                  // the results file to write
  std::filesystem::path manifest;             // of all shards; empty: as the shards' headers say
  // Accept missing and unfinished shards. The merged run is then unfinished too, and its other rows are missing.
  bool partial = false;
};

struct MergedRun {
  RunHeader header;
  uint64_t cases = 0;
  std::map<std::string, int64_t> totals;  // cases by status
  std::vector<std::string> lacking;       // with `partial`: "shard 2 of 3 is missing", a sentence each
};

// kNoInput for a folder without shards or a missing shard; kUsage for a shard that is duplicate, unfinished or of
// another run; kBadInput as in ScanRun.
Expected<MergedRun> MergeRuns(const MergeOptions& options);

// Checks, without reading records, that all shards exist once, are finished, and belong to one run.
Expected<void> CheckShards(const MergeOptions& options);

// True if the run was merged from exactly these shards.
bool IsMergeOf(const RunHeader& merged, const std::vector<ShardFile>& shards);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RUNS_MERGE_RUNS_H_
