// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The results files of the shards of a run: results-1-of-3.jsonl, results-2-of-3.jsonl, results-3-of-3.jsonl.
//
//   ResultsName(2, 3);                              // "results-2-of-3.jsonl"; "results.jsonl" for 1 of 1
//   for (const ShardFile& file : FindShardFiles("out/nightly")) ...
#ifndef OPBYOP_MANIFESTS_RUNS_SHARD_FILES_H_
#define OPBYOP_MANIFESTS_RUNS_SHARD_FILES_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opbyop {

struct ShardFile {
  std::filesystem::path path;
  uint64_t shard = 0;  // from 1
  uint64_t shards = 0;
};

std::string ResultsName(uint64_t shard, uint64_t shards);

// Returns {2, 3} for "2/3". nullopt if the text is not of this form, or the first number is not from 1 to the second.
std::optional<std::pair<uint64_t, uint64_t>> ParseShard(std::string_view text);

// Returns the file if its name is that of a shard's results.
std::optional<ShardFile> AsShardFile(const std::filesystem::path& path);

// Returns the shards' results directly in the folder, by number.
std::vector<ShardFile> FindShardFiles(const std::filesystem::path& folder);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RUNS_SHARD_FILES_H_
