// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/inputs/input_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "manifests/policies/policy.h"
#include "manifests/results/set_name.h"
#include "manifests/targets/find_manifest_file.h"
#include "manifests/targets/target.h"

namespace opbyop::harness {
namespace {

// The statuses by severity: the status of a case is the last of these that one of its sets has.
constexpr std::array kByWeight = {Status::kSkipped,   Status::kInconclusive, Status::kPass,    Status::kUnsupported,
                                  Status::kImprecise, Status::kFail,         Status::kTimeout, Status::kOutOfMemory,
                                  Status::kCrash,     Status::kMissing};
static_assert(std::ranges::count_if(kByWeight, IsWorkerStatus) == std::ranges::count_if(kAllStatuses, IsWorkerStatus),
              "kByWeight has every status that a worker may report");

ptrdiff_t WeightOf(Status status) { return std::ranges::find(kByWeight, status) - kByWeight.begin(); }

bool IsOfASet(const StageRecord& stage) {
  constexpr std::array kStages = {kInputsStage, kLoadStage, kExecuteStage, kCompareStage};
  return std::ranges::find(kStages, stage.name) != kStages.end();
}

// Adds the times of a set's stages. How a stage ended is taken from the set that decides.
void JoinStages(std::vector<StageRecord> stages, bool decides, std::vector<StageRecord>& known) {
  for (StageRecord& stage : stages) {
    const auto same = std::ranges::find(known, stage.name, &StageRecord::name);
    if (same == known.end()) continue;
    same->ms += stage.ms;
    stage.ms = same->ms;
  }
  if (!decides) return;
  std::erase_if(known, IsOfASet);
  known.insert(known.end(), stages.begin(), stages.end());
}

void TakeEnd(CaseRecord set, const std::string& name, CaseRecord& record) {
  record.status = set.status;
  record.stage = std::move(set.stage);
  record.diagnostic = std::move(set.diagnostic);
  if (!name.empty() && !record.diagnostic.empty()) {
    record.diagnostic = fmt::format("under {}: {}", name, record.diagnostic);
  }
  record.signal = set.signal;
  record.stderr_tail = std::move(set.stderr_tail);
}

// Says why the set is not a pass, or why its inputs are not those of the policy.
std::string NoteOf(const CaseRecord& set) {
  if (!set.diagnostic.empty()) return set.diagnostic;
  const auto inputs = std::ranges::find(set.stages, kInputsStage, &StageRecord::name);
  return inputs == set.stages.end() ? "" : inputs->diagnostic;
}

// False if any value of the output would have been accepted. An output without elements has nothing else to show.
bool JudgesAnything(const Comparison& comparison) {
  return comparison.elements == 0 || comparison.unbounded < comparison.elements || comparison.random || comparison.weak;
}

// Moves the set's comparisons into the record and adds the set's line.
void AddSet(CaseRecord& set, const std::string& name, CaseRecord& record) {
  const bool is_first = record.sets.empty();
  int64_t unbounded = 0;
  const bool judged_nothing = !IsFailure(set.status) && std::ranges::none_of(set.comparisons, JudgesAnything);
  for (Comparison& comparison : set.comparisons) {
    comparison.policy = name;
    unbounded += comparison.unbounded;
    // The first set's worst elements say how near to its bound a good output is. Those of the other sets are not
    // needed.
    if (!is_first && comparison.accepted && comparison.precision_ratio <= 1) comparison.worst.clear();
    record.comparisons.push_back(std::move(comparison));
  }
  record.sets.push_back({name, set.seed, set.status, set.stage, NoteOf(set), unbounded, judged_nothing});
}

}  // namespace

Expected<RunPolicy> FindPolicy(const std::string& given) {
  const Expected<std::filesystem::path> file = FindManifestFile("policies", given);
  if (!file) return Unexpected(file.error());
  Expected<Policy> policy = LoadPolicy(*file);
  if (!policy) return Unexpected(policy.error());
  return RunPolicy{given, std::move(policy->name), *file, policy->inputs};
}

Expected<std::vector<RunPolicy>> FindPolicies(std::string_view list) {
  std::vector<RunPolicy> policies;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const std::string given(list.substr(begin, end - begin));
    begin = end + 1;
    Expected<RunPolicy> policy = FindPolicy(given);
    if (!policy) return Unexpected(policy.error());
    if (std::ranges::find(policies, policy->name, &RunPolicy::name) != policies.end()) {
      return MakeError(ExitCode::kUsage, fmt::format("--policy={}: `{}` is a duplicate", list, policy->name));
    }
    policies.push_back(std::move(*policy));
  }
  return policies;
}

std::string NamesOf(const std::vector<RunPolicy>& policies) {
  std::string names;
  for (const RunPolicy& policy : policies) names += (names.empty() ? "" : ",") + policy.given;
  return names;
}

std::string SetName(const RunPolicy& policy, bool second_draw) {
  return policy.name + std::string(second_draw ? kSecondDraw : "");
}

bool JoinSet(CaseRecord set, const std::string& name, CaseRecord& record) {
  const bool is_first = record.sets.empty();
  const bool decides = is_first || WeightOf(set.status) > WeightOf(record.status);
  AddSet(set, name, record);
  if (record.reference == Status::kPass) record.reference = set.reference;
  record.peak_rss_kb = std::max(record.peak_rss_kb, set.peak_rss_kb);
  if (set.artifact_bytes > 0) record.artifact_bytes = set.artifact_bytes;
  if (is_first) record.timing = set.timing;
  NoteLeftRunning(set.left_running, record);
  JoinStages(std::move(set.stages), decides, record.stages);
  if (!decides) return false;
  TakeEnd(std::move(set), is_first ? "" : name, record);
  return true;
}

void JoinFreshDraw(CaseRecord set, const std::string& name, CaseRecord& record) {
  const bool decides = IsFailure(set.status) && WeightOf(set.status) > WeightOf(record.status);
  AddSet(set, name, record);
  NoteLeftRunning(set.left_running, record);
  if (!decides) return;
  record.fixed = {record.status, record.stage, record.diagnostic};
  for (StageRecord& stage : set.stages) {
    const auto same = std::ranges::find(record.stages, stage.name, &StageRecord::name);
    if (same != record.stages.end()) stage.ms = same->ms;
  }
  std::erase_if(record.stages, IsOfASet);
  record.stages.insert(record.stages.end(), set.stages.begin(), set.stages.end());
  TakeEnd(std::move(set), name, record);
}

const InputSetRecord* DecidingSet(const CaseRecord& record) {
  // The further draw decides only if it makes the case worse.
  const auto weight = [](const InputSetRecord& set) {
    return FreshSeedOf(set.policy) && !IsFailure(set.status) ? ptrdiff_t{-1} : WeightOf(set.status);
  };
  const auto worst = std::ranges::max_element(record.sets, {}, weight);
  return worst == record.sets.end() ? nullptr : &*worst;
}

std::string ReproPolicyOf(const CaseRecord& record, const std::vector<RunPolicy>& policies) {
  const InputSetRecord* set = DecidingSet(record);
  if (set == nullptr || !IsFailure(record.status) || set->status != record.status) return "";
  const auto policy = std::ranges::find(policies, PolicyOfSet(set->policy), &RunPolicy::name);
  if (policy == policies.end()) return "";
  // The first policy of a run is judged on the case itself, the others on a twin.
  const bool on_twin = !set->twin.empty() && policy != policies.begin();
  return on_twin ? policies.front().given + "," + policy->given : policy->given;
}

ReproOptions ReproOptionsOf(const CaseRecord& record, const std::vector<RunPolicy>& policies) {
  ReproOptions repeat = {ReproPolicyOf(record, policies), std::nullopt};
  if (!repeat.policy.empty()) repeat.fresh_seed = FreshSeedOf(DecidingSet(record)->policy);
  return repeat;
}

}  // namespace opbyop::harness
