// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/fresh_seed.h"

#include <fmt/format.h>

#include "manifests/results/results_file.h"
#include "manifests/results/set_name.h"
#include "manifests/runs/shard_files.h"

namespace opbyop::harness {
namespace {

// Returns the seed in the results of another shard of this run, if there are any. Results of an earlier run have the
// same file names. They differ in the seed from this shard's own earlier results, or are older than these.
std::optional<uint64_t> SeedOfOtherShards(const std::filesystem::path& results, const RunHeader& header) {
  const Expected<RunHeader> before = LoadRunHeader(results);
  std::optional<uint64_t> seed;
  std::string start = before ? before->start : "";
  const std::filesystem::path folder = results.has_parent_path() ? results.parent_path() : ".";
  for (const ShardFile& file : FindShardFiles(folder)) {
    if (file.shard == header.shard || file.shards != header.shards) continue;
    const Expected<RunHeader> other = LoadRunHeader(file.path);
    if (!other || !other->fresh_seed || other->digest != header.digest || other->start <= start) continue;
    if (before && before->fresh_seed == other->fresh_seed) continue;
    seed = other->fresh_seed;
    start = other->start;
  }
  return seed;
}

}  // namespace

Expected<std::optional<uint64_t>> ChooseFreshSeed(const FreshSeedQuestion& question) {
  std::optional<uint64_t> given;
  if (!question.given.empty()) (void)ParseFreshSeed(question.given, given);
  const ResumePlan& plan = *question.plan;
  if (!plan.all_run_again && (plan.joined || !plan.kept.empty())) {
    const std::optional<uint64_t>& then = plan.fresh_seed;
    if (question.given.empty() || given == then) return then;
    return MakeError(ExitCode::kUsage,
                     fmt::format("{} has results of fresh seed {}, and --fresh-seed says {}: leave it out to continue "
                                 "with them; --fresh discards them, --out names another folder",
                                 question.results.string(), FreshSeedText(then), FreshSeedText(given)));
  }
  if (!question.given.empty()) return given;
  if (!question.of_bundle.empty()) {
    (void)ParseFreshSeed(question.of_bundle, given);
    return given;
  }
  if (question.header->shards > 1) {
    if (const auto seed = SeedOfOtherShards(question.results, *question.header)) return seed;
  }
  return FreshSeedOfDay(question.now_us);
}

}  // namespace opbyop::harness
