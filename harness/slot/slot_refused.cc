// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs that must be refused: they are compiled by the target worker, and nothing is drawn, executed or compared.
#include <fmt/format.h>

#include <utility>

#include "harness/slot/slot_attempt.h"
#include "harness/slot/valid_counterparts.h"
#include "harness/worker/verdict.h"

namespace opbyop::harness {

void Slot::RunRefused(Attempt& attempt, Permit& permit) {
  CaseRecord& record = attempt.record;
  const std::vector<std::string> stages = CompileStagesOf(attempt.c);
  const std::string first_stage = FirstStage(stages);
  if (!settings_.target->verifies) {
    record.status = Status::kUnsupported;
    record.stage = first_stage;
    record.diagnostic =
        fmt::format("{} takes programs for valid: `verifies: false` in its file", settings_.target->name);
    return;
  }
  // Compiled for fewer processes, the program need not break the rule.
  if (!HasDevices(attempt.c, target_.hello())) {
    record.status = Status::kPass;
    RequireDevices(attempt.c, target_.hello(), record);
    record.stage = first_stage;
    return;
  }
  const auto request = [&] { return MakeRequest(attempt, protocol::CompileVerb{.verbatim = true}, *settings_.target); };
  permit.Acquire();
  target_.Send(request(), first_stage);
  const Answer answer = AwaitAnswer(target_, request, first_stage);
  ApplyRefusal(answer, stages, *attempt.c.breach, record);
  if (attempt.passing()) RequireValidTwin(CompileValidTwin(attempt), record);
  permit.Release();
}

// Returns an empty text if the target compiles the program, else how that ended.
std::string Slot::CompileValidTwin(const Attempt& attempt) {
  const std::string& file = attempt.c.breach->valid;
  if (shared_.valid_twins != nullptr) {
    if (const auto known = shared_.valid_twins->Find(file)) return *known;
  }
  const std::vector<std::string> stages = CompileStagesOf(attempt.c);
  const std::string first_stage = FirstStage(stages);
  const auto request = [&] {
    protocol::Request made = MakeRequest(attempt, protocol::CompileVerb{.verbatim = true}, *settings_.target);
    made.file = settings_.manifest_folder / file;
    return made;
  };
  if (!target_.Ready() && !Renew(target_)) return "the worker does not start again";
  target_.Send(request(), first_stage);
  const Answer answer = AwaitAnswer(target_, request, first_stage);
  CaseRecord record;
  ApplyCompile(answer, stages, record);
  const std::string end = record.status == Status::kPass ? ""
                                                         : fmt::format("{} in stage {}: {}", ToString(record.status),
                                                                       record.stage, record.diagnostic);
  // A death may be due to chance, so it is not remembered.
  if (shared_.valid_twins != nullptr && !IsDeath(record.status)) shared_.valid_twins->Note(file, end);
  return end;
}

}  // namespace opbyop::harness
