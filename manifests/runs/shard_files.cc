// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/runs/shard_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

namespace opbyop {
namespace {

namespace fs = std::filesystem;

// Accepts only digits, so that only names are read that ResultsName writes.
std::optional<uint64_t> ParseNumber(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = !text.empty() && error == std::errc() && end == text.data() + text.size();
  return whole && text.front() != '0' ? std::optional(number) : std::nullopt;
}

std::optional<std::pair<uint64_t, uint64_t>> ParseParts(std::string_view text, std::string_view between) {
  const size_t at = text.find(between);
  if (at == std::string_view::npos) return std::nullopt;
  const auto shard = ParseNumber(text.substr(0, at));
  const auto shards = ParseNumber(text.substr(at + between.size()));
  if (!shard || !shards || *shard > *shards) return std::nullopt;
  return std::pair(*shard, *shards);
}

}  // namespace

std::string ResultsName(uint64_t shard, uint64_t shards) {
  return shards <= 1 ? "results.jsonl" : fmt::format("results-{}-of-{}.jsonl", shard, shards);
}

std::optional<std::pair<uint64_t, uint64_t>> ParseShard(std::string_view text) { return ParseParts(text, "/"); }

std::optional<ShardFile> AsShardFile(const fs::path& path) {
  const std::string name = path.filename().string();
  constexpr std::string_view kBegin = "results-", kEnd = ".jsonl";
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return std::nullopt;
  const std::string_view middle =
      std::string_view(name).substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
  const auto parts = ParseParts(middle, "-of-");
  if (!parts) return std::nullopt;
  return ShardFile{path, parts->first, parts->second};
}

std::vector<ShardFile> FindShardFiles(const fs::path& folder) {
  std::vector<ShardFile> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (auto file = AsShardFile(entry.path())) files.push_back(std::move(*file));
  }
  std::ranges::sort(files, {}, [](const ShardFile& file) { return std::tie(file.shards, file.shard, file.path); });
  return files;
}

}  // namespace opbyop
