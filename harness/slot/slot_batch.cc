// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs the cases of a batch: compiles them as functions of one module, then executes them one by one.
#include <chrono>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "harness/slot/batch.h"
#include "harness/slot/slot_attempt.h"
#include "harness/worker/verdict.h"
#include "support/text/timestamp.h"

namespace opbyop::harness {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Expected<void> Slot::RunBatch(std::span<const Case* const> cases, const Sink& sink) {
  if (cases.size() == 1) {
    Expected<CaseRecord> record = Run(*cases.front());
    if (!record) return Unexpected(record.error());
    sink(*cases.front(), std::move(*record));
    return {};
  }
  if (const Expected<void> started = EnsureWorkers(); !started) return Unexpected(started.error());
  waited_ms_ = 0;
  const Clock::time_point begin = Clock::now();
  const Answer compiled = CompileBatch(cases);
  CaseRecord whole;
  ApplyCompile(compiled, CompileStages(*settings_.target), whole);
  if (whole.status != Status::kPass) {
    const size_t half = cases.size() / 2;
    if (const Expected<void> done = RunBatch(cases.first(half), sink); !done) return done;
    return RunBatch(cases.subspan(half), sink);
  }
  const double compile_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count() - waited_ms_;
  const double share = compile_ms / static_cast<double>(cases.size());
  // These run after the batch, because compiling another case removes the batch's artifact from the worker.
  struct Member {
    const Case* c;
    Failed failed;  // in the batch
  };
  std::vector<Member> alone;
  size_t ended = 0;
  while (ended < cases.size() && target_.Ready()) {
    const Case& c = *cases[ended++];
    if (!reference_.Ready() && !Renew(reference_) && !Renew(reference_)) {
      const Expected<void> same = CheckHellos();
      return Unexpected(same ? *reference_.start_error() : same.error());
    }
    const std::string start = FormatTimestamp(NowMicroseconds());
    const Clock::time_point member = Clock::now();
    waited_ms_ = 0;
    const Moment began = moment();
    std::optional<CaseRecord> run = RunMember(c, compiled, cases.size());
    if (!run) {
      --ended;
      break;
    }
    CaseRecord record = std::move(*run);
    if (const auto lost = LostDevice(); lost && record.status != Status::kPass) return Unexpected(*lost);
    RecoverDevice(record);
    StopWhereItMayBeCorrupted(record);
    const std::optional<Error> lost = LostDevice();
    if (!IsFinalInBatch(record) && !lost) {
      alone.push_back({&c, {std::move(record), began}});
      continue;
    }
    record.start = start;
    record.wall_ms = share + std::chrono::duration<double, std::milli>(Clock::now() - member).count() - waited_ms_;
    Remember(c, record);
    sink(c, std::move(record));
    if (lost) return Unexpected(*lost);
  }
  RecycleWorkers();
  for (Member& member : alone) {
    const bool failed = IsFailure(member.failed.record.status);
    Expected<CaseRecord> record = failed ? Run(*member.c, std::move(member.failed)) : Run(*member.c);
    if (!record) return Unexpected(record.error());
    sink(*member.c, std::move(*record));
  }
  if (ended == cases.size()) return {};
  // The worker died with the artifact. The members that have not run are a new batch, or two batches if none has run.
  if (ended > 0) return RunBatch(cases.subspan(ended), sink);
  if (const Expected<void> done = RunBatch(cases.first(cases.size() / 2), sink); !done) return done;
  return RunBatch(cases.subspan(cases.size() / 2), sink);
}

Answer Slot::CompileBatch(std::span<const Case* const> cases) {
  const auto make_request = [&] {
    protocol::CompileBatchVerb batch;
    for (const Case* c : cases) batch.members.push_back({c->id, settings_.manifest_folder / c->file});
    return protocol::Request{.verb = std::move(batch), .case_id = cases.front()->id, .target = settings_.target->name};
  };
  const std::string first_stage = FirstStage(CompileStages(*settings_.target));
  Permit permit(shared_.permits);
  permit.Acquire();
  waited_ms_ += permit.waited_ms();
  target_.Allow({});  // not those of the last case
  target_.Send(make_request(), first_stage);
  return AwaitAnswer(target_, make_request, first_stage);
}

std::optional<CaseRecord> Slot::RunMember(const Case& c, const Answer& compiled, size_t size) {
  target_.Allow(ExtraFor(c));
  Attempt attempt = MakeAttempt(c, MemberRecord(compiled, size));
  if (!executes()) {
    attempt.record.artifact_bytes = compiled.fields.artifact_bytes.value_or(0) / static_cast<int64_t>(size);
    RequireProof(c, attempt.dir, attempt.record);
    return std::move(attempt.record);
  }
  const Expected<ScratchDir> scratch = MakeScratch(c);
  if (!scratch) {
    attempt.record.status = Status::kFail;
    return std::move(attempt.record);
  }
  attempt.dir = scratch->path();
  Permit permit(shared_.permits);
  RunSets(attempt, Draw(attempt), permit);
  waited_ms_ += permit.waited_ms();
  if (attempt.unread) return std::nullopt;
  attempt.record.artifact_bytes /= static_cast<int64_t>(size);
  return std::move(attempt.record);
}

}  // namespace opbyop::harness
