// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/results/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <string_view>
#include <utility>

#include "manifests/formats/json_text.h"
#include "manifests/results/result_fields.h"
#include "manifests/results/set_name.h"

namespace opbyop {
namespace {

using nlohmann::json;

// One line. Its first key is the kind of the record.
template <class T>
std::string RecordLine(std::string_view kind, const T& record) {
  JsonText out;
  out.BeginObject();
  if constexpr (std::same_as<T, RunHeader>) out.Member("schema", kResultsSchema);
  out.Member("record", kind);
  WriteMembers(out, record);
  if constexpr (std::same_as<T, RunHeader>) {
    if (!record.demands.min_pass.empty()) out.Member("min_pass", record.demands.min_pass);
    if (!record.demands.fail_on.empty()) out.Member("fail_on", record.demands.FailOnText());
  }
  out.EndObject();
  return out.Take();
}

}  // namespace

std::string ToJsonLine(const RunHeader& header) { return RecordLine("header", header); }
std::string ToJsonLine(const CaseRecord& record) { return RecordLine("case", record); }
std::string ToJsonLine(const RunEvent& event) { return RecordLine("event", event); }
std::string ToJsonLine(const RunFooter& footer) { return RecordLine("footer", footer); }

void Write(JsonText& out, const Comparison& comparison, WorstElements worst) {
  out.BeginObject();
  WriteMembers(out, comparison, worst == WorstElements::kLeftOut ? "worst" : "");
  out.EndObject();
}
void Write(JsonText& out, const Timing& timing) { WriteObject(out, timing); }

void to_json(json& out, const Comparison& comparison) { out = ToJsonObject(comparison); }
void to_json(json& out, const Placements& placements) { out = ToJsonObject(placements); }
void to_json(json& out, const Timing& timing) { out = ToJsonObject(timing); }

void from_json(const json& in, Comparison& comparison) { comparison = ReadObject<Comparison>(in); }
void from_json(const json& in, Placements& placements) { placements = ReadObject<Placements>(in); }
void from_json(const json& in, Timing& timing) { timing = ReadObject<Timing>(in); }

void NoteLeftRunning(const std::string& left, CaseRecord& record) {
  if (left.empty()) return;
  record.left_running += (record.left_running.empty() ? "" : "; ") + left;
}

std::vector<std::string> FailedPolicies(const CaseRecord& record, Draws draws) {
  std::vector<std::string> policies;
  for (const InputSetRecord& set : record.sets) {
    if (draws == Draws::kFixed && FreshSeedOf(set.policy)) continue;
    std::string policy = PolicyOfSet(set.policy);
    if (IsFailure(set.status) && std::ranges::find(policies, policy) == policies.end()) {
      policies.push_back(std::move(policy));
    }
  }
  return policies;
}

std::string UnjudgedPolicies(const CaseRecord& record) {
  if (IsUnjudged(record.status)) return "";
  std::string text;
  for (const InputSetRecord& set : record.sets) {
    if (!set.judged_nothing || FreshSeedOf(set.policy)) continue;
    text += fmt::format("{} under {}", text.empty() ? "nothing was judged" : ";", set.policy);
    if (!set.diagnostic.empty()) text += ": " + set.diagnostic.substr(0, set.diagnostic.find('\n'));
  }
  return text;
}

FixedEnd EndOfFixedDraws(const CaseRecord& record) {
  if (record.fixed.status != Status::kMissing) return record.fixed;
  return {record.status, record.stage, record.diagnostic};
}

const InputSetRecord* FailedFreshDraw(const CaseRecord& record) {
  const auto failed = [](const InputSetRecord& set) { return IsFailure(set.status) && FreshSeedOf(set.policy); };
  const auto found = std::ranges::find_if(record.sets, failed);
  return found == record.sets.end() ? nullptr : &*found;
}

void DropFreshDraw(CaseRecord& record) {
  const auto is_fresh = [](const auto& of_set) { return FreshSeedOf(of_set.policy).has_value(); };
  std::erase_if(record.sets, is_fresh);
  std::erase_if(record.comparisons, is_fresh);
}

std::string Describe(const std::vector<BadLine>& lines) {
  if (lines.empty()) return "";
  constexpr size_t kShown = 3;
  std::string text =
      lines.size() == 1 ? "1 line cannot be read:" : fmt::format("{} lines cannot be read:", lines.size());
  for (size_t i = 0; i < std::min(lines.size(), kShown); ++i) {
    text += fmt::format("{} {} ({})", i == 0 ? "" : ",", lines[i].line, lines[i].why);
  }
  return text + (lines.size() > kShown ? ", ..." : "");
}

std::string Describe(const Differential& opinion) {
  std::string text = fmt::format("{}: {}", opinion.target, ToString(opinion.status));
  if (opinion.status != Status::kPass) return fmt::format("{} in {}: {}", text, opinion.stage, opinion.diagnostic);
  double worst = 0;
  for (const Comparison& comparison : opinion.comparisons) worst = std::max(worst, comparison.bound_ratio);
  return fmt::format("{}, error {:.3g} of its bound", text, worst);
}

}  // namespace opbyop
