// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For a case that failed among others and passed alone: finds the earlier case in the same workers that made it fail.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "harness/slot/slot_attempt.h"
#include "harness/worker/verdict.h"
#include "support/text/count_text.h"

namespace opbyop::harness {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::string StatusAndStage(const CaseRecord& first) {
  return fmt::format("{} in stage {}", ToString(first.status), first.stage);
}

// Returns the changed record of a case that makes `victim` fail. It is red, whatever it was before.
CaseRecord BlameSpoiler(CaseRecord record, const CaseRecord& victim, const CaseRecord& first, const Finding& found) {
  const std::string with =
      found.with_it == 0 ? "" : fmt::format(", with {} in between,", CountText(found.with_it, "case"));
  const std::string what = fmt::format(
      "{} ends as {} whenever it runs after this case{} in the same worker, and passes "
      "alone",
      victim.id, StatusAndStage(first), with);
  if (IsProblem(record.status)) {
    record.diagnostic += "; " + what;
  } else {
    const std::string why = record.diagnostic.empty() ? "" : fmt::format(" ({})", record.diagnostic);
    record.diagnostic = fmt::format("{}{}, but {}", ToString(record.status), why, what);
    record.status = Status::kFail;
    if (const std::string last = LastTargetStage(record); !last.empty()) record.stage = last;
  }
  record.spoils.push_back(victim.id);
  return record;
}

std::string DescribeFinding(const Finding& found, const CaseRecord& record) {
  switch (found.end) {
    case Finding::End::kSpoiled:
      return fmt::format("it fails in this way whenever it runs after {}{} in the same worker", record.spoiled_by,
                         found.with_it == 0 ? "" : fmt::format(" and {}", CountText(found.with_it, "more case")));
    case Finding::End::kNotReproduced:
      return fmt::format("run again after the {} before it in that worker, it did not fail in this way",
                         CountText(found.replayed, "case"));
    case Finding::End::kByChance:
      return fmt::format(
          "run again after the {} before it in that worker, it failed in this way only sometimes, so "
          "it depends on chance",
          CountText(found.replayed, "case"));
    case Finding::End::kGivenUp:
      return "the search among the cases before it in that worker for one that spoils it was given up: the time that a "
             "run has for this was over, or no worker started";
  }
  return "";
}

}  // namespace

void Slot::Remember(const Case& c, const CaseRecord& record) {
  past_.push_back({&c, record, moment()});
  past_.back().moment.number = next_number_++;
  if (past_.size() > kMostReplayed) past_.pop_front();
}

bool Slot::IsRed(const Case& c, const CaseRecord& record) const {
  if (settings_.baseline == nullptr) return IsProblem(record.status);
  const std::vector<std::string> models = ModelsOf(c);
  const RowEnd end = EndOf(record);
  return std::ranges::any_of(
      models, [&](const std::string& model) { return IsProblem(settings_.baseline->Judge({&c, model}, end)); });
}

void Slot::LookForSpoiler(const Case& c, const CaseRecord& first, const Moment& began, CaseRecord& record) {
  // A known flaky case is not investigated.
  if (shared_.replay_budget == nullptr || !IsRed(c, record)) return;
  std::vector<size_t> places;  // in past_
  std::vector<const Case*> before;
  for (size_t i = 0; i < past_.size(); ++i) {
    const Past& past = past_[i];
    const bool same_worker = past.moment.target == began.target || past.moment.reference == began.reference;
    // A case that died ended its worker too.
    if (!same_worker || past.moment.number >= began.number || IsDeath(past.record.status)) continue;
    places.push_back(i);
    before.push_back(past.c);
  }
  if (before.empty()) return;
  replaying_ = true;
  const Finding found = FindSpoiler(before.size(), [&](std::span<const size_t> chosen, int times) {
    std::vector<const Case*> cases;
    for (const size_t i : chosen) cases.push_back(before[i]);
    return RunAgain(cases, c, first, times);
  });
  replaying_ = false;
  // The replayed cases may have affected these workers: the next case gets fresh ones.
  target_.Stop();
  reference_.Stop();
  if (found.spoiler) {
    Past& spoiler = past_[places[*found.spoiler]];
    record.spoiled_by = spoiler.record.id;
    spoiler.record = BlameSpoiler(std::move(spoiler.record), record, first, found);
    amended_.push_back({spoiler.c, spoiler.record});
  }
  record.diagnostic += "; " + DescribeFinding(found, record);
}

Replayed Slot::RunAgain(std::span<const Case* const> before, const Case& c, const CaseRecord& first, int times) {
  target_.Stop();
  reference_.Stop();
  for (const Case* const one : before) {
    if (!RunInReplay(*one)) return Replayed::kUnknown;
  }
  Replayed ended = Replayed::kPassed;
  for (int i = 0; i < times && ended == Replayed::kPassed; ++i) {
    const std::optional<CaseRecord> record = RunInReplay(c);
    if (!record) return Replayed::kUnknown;
    const bool same = record->status == first.status && record->stage == first.stage;
    if (IsFailure(record->status)) ended = same ? Replayed::kFailed : Replayed::kOtherwise;
  }
  return ended;
}

// nullopt if there is no time left, or no worker or device.
std::optional<CaseRecord> Slot::RunInReplay(const Case& c) {
  if (shared_.replay_budget->over() || LostDevice() || !EnsureWorkers()) return std::nullopt;
  const Clock::time_point begin = Clock::now();
  CaseRecord record = RunOnce(c);
  RecoverDevice(record);
  StopWhereItMayBeCorrupted(record);
  shared_.replay_budget->Spend(std::chrono::ceil<milliseconds>(Clock::now() - begin));
  if (LostDevice()) return std::nullopt;
  return record;
}

}  // namespace opbyop::harness
