// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/target_worker.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "manifests/results/result.h"
#include "manifests/targets/target.h"
#include "support/files/file.h"

namespace opbyop::device {
namespace {

using protocol::Reply;
using protocol::Request;
using protocol::StageEvents;

class EventListener : public StageListener {
 public:
  explicit EventListener(StageEvents& events) : events_(events) {}
  void Begin(std::string_view stage) override { events_.Begin(stage); }
  void End(std::string_view, const StageResult& result) override { events_.End(result.status, result.diagnostic); }

 private:
  StageEvents& events_;
};

void PutSpans(const DeviceLog& log, nlohmann::json& payload) {
  payload["spans"] = protocol::SpanLines(log.spans);
  if (log.longest_ns > 0) payload["longest_ns"] = log.longest_ns;
}

ExecuteRequest RequestOf(const Request& request, const std::filesystem::path& dir, DeviceLog* log) {
  return {.dir = dir,
          .repeat = {.min_runs = request.repeat.min,
                     .max_runs = request.repeat.max,
                     .budget_ms = request.repeat.budget_ms,
                     .relative_error = request.repeat.relative_error,
                     .warm = request.repeat.warmup > 0},
          .warmup = request.repeat.warmup,
          .log = log,
          .inputs = request.inputs,
          .outputs = request.outputs};
}

Reply ReplyOf(const StageResult& result) {
  Reply reply;
  reply.status = result.status;
  reply.diagnostic = result.diagnostic;
  return reply;
}

}  // namespace

Reply TargetWorker::Handle(const Request& request, StageEvents& events) {
  // An artifact file replaces what was compiled here.
  if (request.verb != "execute" || !request.artifact.empty()) next_.Drop();
  if (request.verb == "compile") return Compile(request, events);
  if (request.verb == "execute") return Execute(request, events);
  return Reply::Unsupported(fmt::format("a target worker knows the verbs compile and execute, not '{}'", request.verb));
}

Reply TargetWorker::Compile(const Request& request, StageEvents& events) {
  case_id_.clear();
  artifact_.clear();
  EventListener listener(events);
  const StageResult result = parts_.compiler->Compile({.case_id = request.case_id,
                                                       .file = request.file,
                                                       .dir = request.dir,
                                                       .save_intermediates = request.save_intermediates,
                                                       .after = request.after,
                                                       .until = request.until,
                                                       .verbatim = request.verbatim},
                                                      listener, artifact_);
  Reply reply = ReplyOf(result);
  if (result.passed()) {
    case_id_ = request.case_id;
    reply.payload["artifact_bytes"] = artifact_.size();
    if (const Placements placements = parts_.compiler->placements(); !placements.empty()) {
      reply.payload["placements"] = placements;
    }
    if (!request.artifact.empty() && request.until.empty()) {
      const Expected<void> saved = WriteFile(request.artifact, artifact_);
      if (!saved) return Reply::Fail("the artifact cannot be saved: " + saved.error().message);
      reply.payload["saved"] = true;
    }
    if (request.keep && LoadsFromBytes()) {
      kept_[case_id_] = artifact_;
      reply.payload["kept"] = true;
    }
  }
  return reply;
}

// Makes the case of an `execute` the current one and loads its artifact.
StageResult TargetWorker::Load(const Request& request, DeviceLog* log) {
  if (!request.artifact.empty()) {
    case_id_.clear();
    Expected<std::string> bytes = ReadFile(request.artifact);
    if (!bytes) return ResultOf(bytes.error());
    if (!parts_.device->Adopt(request.case_id, request.artifact)) {
      return {Status::kUnsupported, "the device of this target loads no artifact from a file"};
    }
    artifact_ = std::move(*bytes);
    case_id_ = request.case_id;
  }
  const auto kept = kept_.find(request.case_id);
  const std::string& artifact = kept == kept_.end() || !request.artifact.empty() ? artifact_ : kept->second;
  SpanTimer timer(log, "load", 0, static_cast<int64_t>(artifact.size()));
  loaded_bytes_ = artifact.size();
  return parts_.device->Load(artifact);
}

Reply TargetWorker::Execute(const Request& request, StageEvents& events) {
  const bool has_artifact = !request.artifact.empty() || kept_.contains(request.case_id) ||
                            (!case_id_.empty() && case_id_ == request.case_id);
  if (!has_artifact) {
    return Reply::Fail(
        fmt::format("execute of '{}' without its artifact: the last compiled case is '{}'", request.case_id, case_id_));
  }
  if (parts_.executor) return ExecuteInExecutor(request, events);
  DeviceLog recorded;
  DeviceLog* const log = request.spans ? &recorded : nullptr;
  events.Begin(kLoadStage);
  const StageResult* const started = next_.Loaded(request.case_id, request.dir);
  StageResult result = started != nullptr ? *started : Load(request, log);
  events.End(result.status, result.diagnostic);
  if (!result.passed()) return ReplyOf(result);

  Timing timing;
  events.Begin(kExecuteStage);
  std::optional<StageResult> ran;
  if (started != nullptr) {
    Expected<StartedExecution> execution = next_.Take(parts_.device);
    if (!execution) return Reply::Of(execution.error());
    ran = execution->ran;
    timing = execution->timing;
    loaded_bytes_ = execution->artifact_bytes;
    recorded = std::move(execution->log);
  }
  BeginNext(request);
  result = ran ? *ran : parts_.device->Execute(RequestOf(request, request.dir, log), timing);
  events.End(result.status, result.diagnostic);
  Reply reply = ReplyOf(result);
  reply.payload["artifact_bytes"] = loaded_bytes_;
  if (!request.artifact.empty()) reply.payload["loaded"] = true;
  if (log != nullptr) PutSpans(recorded, reply.payload);
  if (result.passed() && timing.n > 0) reply.payload["timing"] = timing;
  return reply;
}

// Only a kept case can be started: the artifact of any other is not here. The types of its inputs and outputs are
// unknown here; a device with a spare reads them from the artifact.
void TargetWorker::BeginNext(const Request& request) {
  const auto kept = kept_.find(request.next.case_id);
  if (kept == kept_.end()) return;
  NextExecutionJob job{.case_id = kept->first,
                       .artifact = kept->second,
                       .inputs = request.next.inputs,
                       .request = RequestOf(request, request.next.dir, nullptr),
                       .log = request.spans};
  job.request.inputs.clear();
  job.request.outputs.clear();
  next_.Begin(std::move(job));
}

// The artifact that this worker compiled is passed to the other worker as a file, as a saved artifact is.
Reply TargetWorker::ExecuteInExecutor(const Request& request, StageEvents& events) {
  Request passed_on = request;
  if (request.artifact.empty()) {
    const auto kept = kept_.find(request.case_id);
    passed_on.artifact = request.dir / "artifact.bin";
    const Expected<void> written = WriteFile(passed_on.artifact, kept == kept_.end() ? artifact_ : kept->second);
    if (!written) return Reply::Fail("the artifact cannot be handed over: " + written.error().message);
  }
  Reply reply = parts_.executor->Execute(passed_on, events);
  if (!request.artifact.empty()) reply.payload["loaded"] = true;
  return reply;
}

}  // namespace opbyop::device
