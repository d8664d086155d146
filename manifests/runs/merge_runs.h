// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One run of the shards that it was made in: what `opbyop merge DIR... -o OUT` writes.
//
//   Expected<MergedRun> merged = MergeRuns({.inputs = {"node1/out", "node2/out"}, .out = "out/merged/results.jsonl"});
//
// The shards must be of one run: the same manifest, target, toolchain, policies, seed and whatever else decides a
// result, dealt out alike, each there once and ended. What is not is refused by name, and nothing is written. Records
// are copied as they stand, line by line: memory is some 16 bytes a record. A damaged line stays one: who reads the
// merged file tells of it.
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
  std::filesystem::path manifest;             // of all; where empty as the shards' headers say
  // Take what is there of a run of which shards are absent or did not end: the merged run did not end either, and its
  // other rows are missing.
  bool partial = false;
};

struct MergedRun {
  RunHeader header;
  uint64_t cases = 0;
  std::map<std::string, int64_t> totals;  // cases by status
  std::vector<std::string> lacking;       // with `partial`: "shard 2 of 3 is missing", a sentence each
};

// kNoInput for a folder without shards or one that is missing; kUsage for a shard that is there twice, one that did not
// end, or is of another run; kBadInput as of ScanRun.
Expected<MergedRun> MergeRuns(const MergeOptions& options);

// What MergeRuns says before it reads records: whether the shards are all there, once each, ended, and of one run.
Expected<void> CheckShards(const MergeOptions& options);

// Whether the run is what was merged from exactly these shards.
bool IsMergeOf(const RunHeader& merged, const std::vector<ShardFile>& shards);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RUNS_MERGE_RUNS_H_
