// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/shard_assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "harness/inputs/input_seed.h"
#include "harness/run/case_cost.h"
#include "manifests/results/result.h"
#include "manifests/results/results_file.h"
#include "manifests/runs/shard_files.h"
#include "support/files/sha256.h"
#include "support/fnv.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

Expected<std::vector<fs::path>> ResultsOf(const fs::path& run) {
  std::error_code error;
  if (!fs::is_directory(run, error)) return std::vector<fs::path>{run};
  if (fs::exists(run / "results.jsonl", error)) return std::vector<fs::path>{run / "results.jsonl"};
  std::vector<fs::path> files;
  for (const ShardFile& shard : FindShardFiles(run)) files.push_back(shard.path);
  if (!files.empty()) return files;
  return MakeError(ExitCode::kNoInput, fmt::format("--balance={}: no results there", run.string()));
}

double MedianRatio(const std::vector<const Case*>& cases, const std::unordered_map<std::string, double>& ms) {
  std::vector<double> ratios;
  for (const Case* c : cases) {
    if (const auto found = ms.find(c->id); found != ms.end()) ratios.push_back(found->second / EstimatedMs(*c));
  }
  if (ratios.empty()) return 1;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::ranges::nth_element(ratios, middle);
  return *middle;
}

}  // namespace

Expected<Balance> FindBalance(const std::string& text) {
  Balance balance;
  if (text.empty() || text == kBalanceByCost) return balance;
  balance.name = text;
  if (text == kBalanceByHash) return balance;
  const Expected<std::vector<fs::path>> files = ResultsOf(text);
  if (!files) return Unexpected(files.error());
  std::string run_id;
  for (const fs::path& file : *files) {
    const Expected<Run> run = ScanRun(file, [&](const CaseRecord& record, RecordPlace) {
      if (record.wall_ms > 0) balance.ms[record.id] = record.wall_ms;
    });
    if (!run) return Unexpected(run.error());
    if (run_id.empty()) run_id = run->header.run_id;
  }
  // The name has a digest of the durations. Shards that read an unfinished run at different times see other durations
  // and assign the cases differently. Their names differ, so that they are not taken for shards of one run.
  std::string durations;
  for (const auto& [id, ms] : std::map<std::string, double>(balance.ms.begin(), balance.ms.end())) {
    durations += fmt::format("{} {}\n", id, ms);
  }
  constexpr size_t kDigits = 12;
  balance.name =
      fmt::format("run {}, {} durations {}", run_id, balance.ms.size(), Sha256Hex(durations).substr(0, kDigits));
  return balance;
}

std::vector<double> ExpectedMs(const std::vector<const Case*>& cases, const Balance& balance) {
  const double scale = MedianRatio(cases, balance.ms);
  std::vector<double> ms(cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto known = balance.ms.find(cases[i]->id);
    ms[i] = known == balance.ms.end() ? scale * EstimatedMs(*cases[i]) : known->second;
  }
  return ms;
}

std::vector<uint32_t> AssignShards(const std::vector<const Case*>& cases, uint64_t shards, const Balance& balance) {
  std::vector<uint32_t> shard_of(cases.size());
  if (balance.name == kBalanceByHash) {
    for (size_t i = 0; i < cases.size(); ++i) shard_of[i] = static_cast<uint32_t>(InputSeed(cases[i]->id, 0) % shards);
    return shard_of;
  }
  const std::vector<double> ms = ExpectedMs(cases, balance);
  std::vector<size_t> order(cases.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order,
                    [&](size_t a, size_t b) { return ms[a] != ms[b] ? ms[a] > ms[b] : cases[a]->id < cases[b]->id; });
  using Load = std::pair<double, uint64_t>;  // milliseconds so far, shard
  std::priority_queue<Load, std::vector<Load>, std::greater<>> least;
  // If there are more shards than cases, the last shards get none.
  const uint64_t used = std::min<uint64_t>(shards, std::max<size_t>(cases.size(), 1));
  for (uint64_t shard = 0; shard < used; ++shard) least.emplace(0, shard);
  for (const size_t at : order) {
    const auto [load, shard] = least.top();
    least.pop();
    shard_of[at] = static_cast<uint32_t>(shard);
    least.emplace(load + ms[at], shard);
  }
  return shard_of;
}

}  // namespace opbyop::harness
