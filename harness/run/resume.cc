// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_set>

#include "harness/cache/result_cache.h"
#include "manifests/results/results_file.h"
#include "manifests/runs/run_differences.h"
#include "support/text/count_text.h"

namespace opbyop::harness {
namespace {

constexpr std::string_view kWayOut = "--fresh discards it, --out names another folder";

Expected<void> CheckDigest(const ResumeQuestion& question, const Run& run, std::string_view what) {
  const RunHeader& then = run.header;
  if (then.digest == question.header->digest) return {};
  std::string why = RunDifferences(then.decides, question.header->decides);
  if (then.digest.empty()) why = "it is of a version that did not write down what decides a result";
  if (why.empty()) why = "its digest is another";
  return MakeError(ExitCode::kUsage, fmt::format("{} {}: {}; {}", question.path.string(), what, why, kWayOut));
}

void AddNote(const std::string& sentence, std::string& note) { note += (note.empty() ? "" : "; ") + sentence; }

// Marks the records as those of that run, also if this run writes them again.
void TakeOver(const RunHeader& of, std::vector<CaseRecord>& records) {
  for (CaseRecord& record : records) {
    if (record.cached_from.empty()) record.cached_from = of.run_id;
  }
}

// Keeps results of a run with another manifest. Equal ids are the same cases, and their results hold if nothing but the
// manifest differs.
Expected<ResumePlan> KeepUnchanged(const ResumeQuestion& question, Run run) {
  ResumePlan plan;
  plan.fresh_seed = run.header.fresh_seed;
  if (question.selected.size() < question.all) {
    return MakeError(ExitCode::kUsage, fmt::format("{}: --rerun=changed needs all rows, but some were selected: the "
                                                   "results of the others would be lost",
                                                   question.path.string()));
  }
  const auto without_manifest = [](std::map<std::string, std::string> decides) {
    decides.erase("manifest");
    return decides;
  };
  const auto then = without_manifest(run.header.decides), now = without_manifest(question.header->decides);
  plan.replaces_complete = run.complete;
  if (run.header.digest.empty() || then != now) {
    std::string why = RunDifferences(then, now);
    if (why.empty()) why = "it does not say what decided its results";
    plan.note = fmt::format("{}: all cases have changed: {}", question.path.string(), why);
    return plan;
  }
  std::unordered_set<std::string> selected;
  for (const Case* c : question.selected) selected.insert(c->id);
  for (CaseRecord& record : run.cases) {
    if (selected.contains(record.id) && MayBeCached(record)) plan.kept.push_back(std::move(record));
  }
  TakeOver(run.header, plan.kept);
  plan.run_only_missing = true;
  plan.note = fmt::format("{}: keeps {} of cases that have not changed", question.path.string(),
                          CountText(plan.kept.size(), "result"));
  return plan;
}

// `events` gets those events of the existing run that still matter in a later run.
Expected<ResumePlan> Plan(const ResumeQuestion& question, std::vector<RunEvent>& events) {
  ResumePlan plan;
  std::error_code error;
  if (!std::filesystem::exists(question.path, error)) return plan;
  const bool selects_all = question.selected.size() >= question.all;
  const bool may_resume = question.existing == Existing::kResumeInterrupted && selects_all;
  const bool discard = question.existing == Existing::kDiscard;
  Expected<Run> run = LoadRun(question.path);
  if (!run) {
    // A run of all cases needs none of the existing results.
    if (discard || (selects_all && question.existing != Existing::kResume)) return plan;
    return MakeError(run.error().code, fmt::format("{}; {}", run.error().message, kWayOut));
  }
  plan.fresh_seed = run->header.fresh_seed;
  std::ranges::copy_if(run->events, std::back_inserter(events), &RunEvent::lasting);
  const size_t cases = run->cases.size();
  const bool ended = run->complete && run->bad_lines.empty();
  const bool failed = question.existing == Existing::kRerunFailed;
  if (question.existing == Existing::kRerunChanged && run->header.digest != question.header->digest) {
    return KeepUnchanged(question, std::move(*run));
  }
  if (!discard && (failed || question.existing == Existing::kRerunChanged || question.existing == Existing::kResume ||
                   (may_resume && !ended))) {
    if (const Expected<void> same = CheckDigest(question, *run, "cannot be resumed"); !same) {
      return Unexpected(same.error());
    }
    plan.kept = std::move(run->cases);
    plan.run_only_missing = true;
    plan.note = fmt::format("{}: goes on from its {}", question.path.string(), CountText(cases, "result"));
    if (failed) {
      // Run cases again on which the reference failed: it may not fail this time.
      std::erase_if(plan.kept, [](const CaseRecord& record) {
        return IsProblem(record.status) || record.reference != Status::kPass;
      });
      TakeOver(run->header, plan.kept);
      plan.note =
          fmt::format("{}: keeps {} that are not red", question.path.string(), CountText(plan.kept.size(), "result"));
    }
  } else if (!discard && !selects_all) {
    std::unordered_set<std::string> selected;
    for (const Case* c : question.selected) selected.insert(c->id);
    const auto others = static_cast<size_t>(
        std::ranges::count_if(run->cases, [&](const CaseRecord& record) { return !selected.contains(record.id); }));
    if (others == 0) {
      // This run replaces all existing results. Keep them until then, in case it is killed.
      if (run->header.digest == question.header->digest) plan.kept = std::move(run->cases);
      plan.all_run_again = true;
      return plan;
    }
    const std::string what =
        fmt::format("holds {} of another run for cases that this run leaves out", CountText(others, "result"));
    if (const Expected<void> same = CheckDigest(question, *run, what); !same) return Unexpected(same.error());
    plan.kept = std::move(run->cases);
    plan.note = fmt::format("{}: keeps its {}", question.path.string(), CountText(others, "other result"));
  } else {
    plan.replaces_complete = run->complete;
    return plan;
  }
  plan.joined = std::move(run->header);
  if (!run->bad_lines.empty()) AddNote(Describe(run->bad_lines), plan.note);
  return plan;
}

}  // namespace

Expected<ResumePlan> PlanResume(const ResumeQuestion& question) {
  std::vector<RunEvent> events;
  Expected<ResumePlan> plan = Plan(question, events);
  if (plan && !plan->kept.empty()) plan->events = std::move(events);
  return plan;
}

}  // namespace opbyop::harness
