// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/slot/slot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "harness/bundle/artifact_store.h"
#include "harness/bundle/compiled_run.h"
#include "harness/slot/kept_folder.h"
#include "harness/slot/slot_attempt.h"
#include "harness/worker/case_request.h"
#include "harness/worker/outputs.h"
#include "harness/worker/own_folder.h"
#include "harness/worker/recover.h"
#include "harness/worker/toolchain.h"
#include "harness/worker/verdict.h"
#include "harness/worker/worker_isolation.h"
#include "manifests/status/counts.h"
#include "support/fnv.h"
#include "support/saturated.h"
#include "support/text/timestamp.h"

namespace opbyop::harness {
namespace {

using protocol::Request;

using Clock = std::chrono::steady_clock;

}  // namespace

std::vector<std::string> Slot::CompileStagesOf(const Case& c) const {
  return StagesAfter(StageThatMade(settings_.made_by, c), CompileStages(*settings_.target));
}

bool Slot::executes() const {
  return HasDevice(*settings_.target) && start_.compile_only.empty() && settings_.saves == nullptr;
}

Slot::Slot(int index, const SlotSettings& settings, const RunStart& start, const SharedState& shared)
    : index_(index),
      settings_(settings),
      start_(start),
      shared_(shared),
      name_(fmt::format("slot-{}", index)),
      folders_(MakeFolders()),
      target_(Restricted(settings.target_worker, settings.target, "tmp-target")),
      reference_(Restricted(settings.reference_worker, nullptr, "tmp-reference")) {
  if (!settings.second) return;
  second_.emplace(*settings.second->target, Restricted(settings.second->worker, settings.second->target, "tmp-second"));
}

std::vector<std::filesystem::path> Slot::MakeFolders() const {
  if (shared_.scratch == nullptr) return {};
  std::vector<std::filesystem::path> folders = shared_.scratch->MakeSlot(name_);
  // A run that keeps its folders has one for all slots, in which a user looks at the files.
  if (!folders.empty() && !settings_.keep.empty()) {
    std::error_code error;
    std::filesystem::create_directories(settings_.keep, error);
    folders.insert(folders.begin(), settings_.keep);
  }
  return folders;
}

void Slot::RestoreFolders() {
  if (!settings_.keep.empty()) GrantOwnerAccess(settings_.keep);
  if (!folders_.empty()) shared_.scratch->RestoreSlot(name_);
}

WorkerSpec Slot::Restricted(const WorkerSpec& spec, const Target* target, std::string_view temporary) const {
  if (folders_.empty()) return spec;
  WorkerSpec restricted = Isolated(spec, folders_, shared_.scratch->MakeTemporary(temporary, name_));
  if (target != nullptr) GrantDeclared(*target, restricted);
  return restricted;
}

Slot::~Slot() {
  for (Worker* worker : {&target_, &reference_}) worker->Stop();
  second_.reset();
  if (shared_.scratch != nullptr) shared_.scratch->RemoveSlot(name_);
}

Expected<void> Slot::StartWorkers() {
  const std::array<Worker*, 2> workers = {&target_, &reference_};
  for (Worker* worker : workers) {
    if (!worker->Ready()) worker->Launch();
  }
  Worker::WaitAll(workers);
  for (const Worker* worker : workers) {
    if (worker->start_error()) return Unexpected(*worker->start_error());
  }
  return {};
}

// One failed start may be due to a busy machine. If the second fails too, the worker is at fault.
Expected<void> Slot::EnsureWorkers() {
  RestoreFolders();
  if (!StartWorkers()) {
    if (const Expected<void> started = StartWorkers(); !started) return started;
  }
  if (const Expected<void> same = CheckHellos(); !same) {
    target_.Stop();
    reference_.Stop();
    return same;
  }
  if (!executes() || target_.hello().compile_only.empty()) return {};
  const std::string why = target_.hello().compile_only;
  target_.Stop();
  return MakeError(ExitCode::kNoInput,
                   fmt::format("the target worker has lost the device that this run started with: {}", why));
}

// The run's header has the version of the first worker. Results of a worker that was rebuilt since would be wrongly
// reported under that version.
Expected<void> Slot::CheckHellos() const {
  const auto check = [](const char* which, const std::optional<protocol::Hello>& then,
                        const protocol::Hello& now) -> Expected<void> {
    if (!then || SameToolchain(*then, now)) return {};
    return MakeError(ExitCode::kUnexpectedResult,
                     fmt::format("the {} worker now says that it is {}, and this run started with {}: it was replaced "
                                 "during the run; no case was given to the new one",
                                 which, Describe(now), Describe(*then)));
  };
  if (const Expected<void> same = check("target", start_.target, target_.hello()); !same) return same;
  return check("reference", start_.reference, reference_.hello());
}

bool Slot::Renew(Worker& worker) {
  if (!worker.Restart()) return false;
  if (CheckHellos()) return true;
  worker.Stop();
  return false;
}

Expected<CaseRecord> Slot::Run(const Case& c, std::optional<Failed> in_batch) {
  if (std::optional<CaseRecord> ended = EndedBefore(c)) return std::move(*ended);
  const Clock::time_point begin = Clock::now();
  waited_ms_ = 0;
  const std::string start = FormatTimestamp(NowMicroseconds());
  CaseRecord record;
  std::optional<CaseRecord> first;
  Moment began;
  if (in_batch) {
    first = std::move(in_batch->record);
    began = in_batch->moment;
  }
  for (int attempt = first ? 2 : 1;; ++attempt) {
    if (const auto lost = LostDevice()) return Unexpected(*lost);
    if (const Expected<void> started = EnsureWorkers(); !started) {
      // Another toolchain's result does not explain how the case failed on this one.
      if (!first || started.error().code != ExitCode::kUnexpectedResult) return Unexpected(started.error());
      notices_.push_back(started.error().message);
      record = std::move(*first);
      first.reset();
      break;
    }
    if (!settings_.keep.empty()) {
      if (const Expected<void> empty = EmptyKeptFolder(settings_.keep / c.id); !empty) return Unexpected(empty.error());
    }
    if (attempt == 1) began = moment();
    record = RunOnce(c);
    record.attempts = attempt;
    // Another slot lost the device meanwhile: the result says nothing about the case.
    if (const auto lost = LostDevice(); lost && record.status != Status::kPass) return Unexpected(*lost);
    RecoverDevice(record);
    if (!MayPassOnRetry(record) || attempt > settings_.retries || LostDevice()) break;
    if (!first && IsFailure(record.status) && !IsRed(c, record)) break;  // as its baseline expects it
    if (!first) first = record;
    // Run it alone in fresh workers, where no earlier case can affect it.
    target_.Stop();
    reference_.Stop();
  }
  StopWhereItMayBeCorrupted(record);
  if (first && IsFailure(first->status) && IsUnjudged(record.status) && record.reference != Status::kPass) {
    // Without a verdict on the second attempt, the first attempt counts.
    first->diagnostic += fmt::format("; run again it was {}: {}", ToString(record.status), record.diagnostic);
    first->attempts = record.attempts;
    record = std::move(*first);
    first.reset();
  }
  if (first) record.first_attempt = {first->status, first->stage, first->diagnostic};
  record.start = start;
  record.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count() - waited_ms_;
  if (first && IsFailure(first->status) && !IsFailure(record.status)) {
    const std::string where = first->batched > 0 ? fmt::format(" in a batch of {}", first->batched) : "";
    record.diagnostic =
        fmt::format("{} in stage {}{} ({}), then {} alone{}", ToString(first->status), first->stage, where,
                    first->diagnostic, ToString(record.status), where.empty() ? " in a fresh worker" : "");
    record.status = Status::kFlaky;
    record.stage = first->stage;
    record.signal = first->signal;
    record.stderr_tail = first->stderr_tail;
    LookForSpoiler(c, *first, began, record);
  }
  if (settings_.compiled != nullptr) {
    AddCompileRecord(*settings_.compiled->Find(c.id), settings_.compiled->Origin(), settings_.processor, record);
  }
  RecycleWorkers();
  Remember(c, record);
  return record;
}

std::optional<Error> Slot::LostDevice() const {
  return shared_.device == nullptr ? std::nullopt : shared_.device->lost();
}

void Slot::RecoverDevice(CaseRecord& record) {
  const Device& device = settings_.target->device;
  if (!DiedOnDevice(record) || (device.recover.empty() && device.health.empty())) return;
  std::unique_lock<DeviceGate> alone;
  if (shared_.device != nullptr) alone = std::unique_lock(shared_.device->gate());
  const Expected<void> done = opbyop::harness::RecoverDevice(device);
  if (done) return;
  const std::string why = fmt::format("the device did not come back: {}", done.error().message);
  if (shared_.device != nullptr) {
    shared_.device->MarkLost(
        {ExitCode::kPartial, fmt::format("after the {} of {} {}", ToString(record.status), record.id, why)});
  }
  record.diagnostic += "; " + why;
}

void Slot::StopWhereItMayBeCorrupted(const CaseRecord& record) {
  if (record.status == Status::kFail && record.stage == kExecuteStage) target_.Stop();
  if (LosesDeviceWorker(record, *settings_.target)) target_.Stop();
}

Answer Slot::AwaitAnswer(Worker& worker, const std::function<Request()>& request, std::string_view first_stage) {
  worker.Wait();
  Answer answer = worker.TakeAnswer();
  // Each of these workers has said hello. If several in a row die before they read, the workers are at fault.
  constexpr int kMostOthers = 3;
  for (int others = 0; answer.unread && others < kMostOthers; ++others) {
    if (!Renew(worker)) break;
    answer = worker.Call(request(), first_stage);
  }
  return answer;
}

Expected<ScratchDir> Slot::MakeScratch(const Case& c) {
  const CaseRecord* compiled = settings_.compiled == nullptr ? nullptr : settings_.compiled->Find(c.id);
  const int64_t artifact = compiled == nullptr ? 0 : compiled->artifact_bytes;
  return shared_.scratch->Make(c.id, AddCapped(ScratchBytes(c), std::max<int64_t>(artifact, 0)), name_);
}

Slot::Attempt Slot::MakeAttempt(const Case& c, CaseRecord record) const {
  Attempt attempt{c, &settings_.policies.front(), {}, std::move(record)};
  attempt.record.id = c.id;
  attempt.record.seed = InputSeed(c.id, settings_.seed);
  attempt.record.worker = index_;
  return attempt;
}

CaseRecord Slot::RunOnce(const Case& c) {
  target_.Allow(ExtraFor(c));
  Attempt attempt = MakeAttempt(c);
  std::optional<ScratchDir> scratch;
  if (!keeps_folders()) {
    Expected<ScratchDir> made = MakeScratch(c);
    if (!made) {
      attempt.record.status = Status::kFail;
      attempt.record.stage = kInputsStage;
      attempt.record.diagnostic = made.error().message;
      return std::move(attempt.record);
    }
    scratch.emplace(std::move(*made));
    attempt.dir = scratch->path();
  } else {
    attempt.dir = settings_.keep / c.id;
  }
  Permit permit(shared_.permits);
  RunStages(attempt, permit);
  Release(attempt);
  // A case that is executed elsewhere is judged there.
  if (settings_.saves == nullptr) JudgeUnknown(c, !StageThatMade(settings_.made_by, c).empty(), attempt.record);
  waited_ms_ += permit.waited_ms();
  return std::move(attempt.record);
}

void Slot::RunStages(Attempt& attempt, Permit& permit) {
  if (attempt.c.must_be_refused()) return RunRefused(attempt, permit);
  if (settings_.compiled != nullptr) {
    TakeCompiled(attempt);
  } else {
    CompileDuringInputs(attempt, permit);
  }
  if (!attempt.passing()) RequireDevices(attempt.c, target_.hello(), attempt.record);
  if (executes()) {
    if (attempt.passing()) RunSets(attempt, std::move(attempt.drawn), permit);
  } else if (settings_.saves == nullptr) {  // else the case is executed and judged elsewhere
    // It was compiled as a whole, which says nothing about its parts.
    if (attempt.c.sharding) RequireDevices(attempt.c, target_.hello(), attempt.record);
    RequireProof(attempt.c, attempt.dir, attempt.record);
  }
}

// Frees the case's executable now: if that kills the worker, this case is to blame and not the next one.
void Slot::Release(Attempt& attempt) {
  const std::string last = LastTargetStage(attempt.record);
  if (last.empty() || !target_.Ready() || !target_.hello().releases) return;
  const DeviceHold hold(settings_.target->device, shared_.device);
  ApplyRelease(target_.Call(MakeRequest(attempt, protocol::ReleaseVerb{}, *settings_.target), last), attempt.record);
}

Request Slot::MakeRequest(const Attempt& attempt, protocol::Verb verb, const Target& target) const {
  Request request = MakeCaseRequest(std::move(verb), attempt.c, settings_.manifest_folder, target);
  request.dir = attempt.dir;
  request.policy = attempt.policy->named();
  request.seed = attempt.record.seed;
  request.save_intermediates = keeps_folders();
  // Only the run's own target has the stage that made the file.
  if (&target == settings_.target) request.after = StageThatMade(settings_.made_by, attempt.c);
  // A worker with too few devices compiles the program of one process; the case then ends before it is loaded.
  const protocol::Hello& hello = &target == settings_.target ? target_.hello() : second_->hello();
  if (HasDevices(attempt.c, hello)) SetGrid(attempt.c, request);
  return request;
}

// If no permit is free, the inputs are drawn while other cases compile.
void Slot::CompileDuringInputs(Attempt& attempt, Permit& permit) {
  const std::vector<std::string> stages = CompileStagesOf(attempt.c);
  // Cases without inputs are sent to the reference as well: it also reports if a loop does not end or a result does not
  // fit into memory.
  const bool needs_inputs = executes() && HasDevices(attempt.c, target_.hello());

  const std::string first_stage = FirstStage(stages);
  const auto inputs_request = [&] { return MakeRequest(attempt, protocol::InputsVerb{}, *settings_.target); };
  const auto compile_request = [&] {
    protocol::CompileVerb compile;
    if (settings_.saves != nullptr && !replaying_) compile.artifact = settings_.saves->PathIn(attempt.dir);
    return MakeRequest(attempt, std::move(compile), *settings_.target);
  };

  const bool at_once = permit.TryAcquire();
  if (needs_inputs) reference_.Send(inputs_request(), kInputsStage);
  if (!at_once) {
    reference_.Wait();
    permit.Acquire();
    // A worker that died while the case waited for its permit is not to blame for it.
    if (!target_.Ready()) (void)StartWorkers();
  }
  target_.Send(compile_request(), first_stage);
  const std::array<Worker*, 2> workers = {&target_, &reference_};
  Worker::WaitAll(workers);

  const Answer compiled = AwaitAnswer(target_, compile_request, first_stage);
  CaseRecord& record = attempt.record;
  ApplyCompile(compiled, stages, record);
  if (settings_.saves != nullptr && !replaying_) SaveArtifact(compiled, attempt);
  if (needs_inputs) attempt.drawn = AwaitAnswer(reference_, inputs_request, kInputsStage);
}

void Slot::RecycleWorkers() {
  // Reading /proc takes a good part of a small case. Memory grows slowly, so only every 16th case is checked.
  constexpr int kLookEvery = 16;
  if (cases_run_++ % kLookEvery != 0) return;
  const std::array<Worker*, 2> workers = {&target_, &reference_};
  for (size_t i = 0; i < workers.size(); ++i) {
    Worker& worker = *workers[i];
    if (!worker.Ready()) continue;
    const int64_t rss_kb = worker.RssKb();
    if (worker.requests_served() <= 2 * kLookEvery) first_rss_kb_[i] = rss_kb;
    const bool grown = rss_kb - first_rss_kb_[i] > settings_.recycle_growth_mb * 1024;
    if (grown || worker.requests_served() >= settings_.recycle_after) worker.Stop();
  }
}

}  // namespace opbyop::harness
