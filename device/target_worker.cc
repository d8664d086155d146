// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/target_worker.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "device/request_sharding.h"
#include "manifests/results/result.h"
#include "manifests/targets/target.h"
#include "support/files/file.h"

namespace opbyop::device {
namespace {

using protocol::CompileVerb;
using protocol::ExecuteVerb;
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

// The signature of the program is left to the caller.
ExecuteRequest RequestOf(const protocol::Repeat& repeat, const std::filesystem::path& dir, DeviceLog* log) {
  return {.dir = dir,
          .repeat = {.min_runs = repeat.min,
                     .max_runs = repeat.max,
                     .budget_ms = repeat.budget_ms,
                     .relative_error = repeat.relative_error,
                     .warm = repeat.warmup > 0},
          .warmup = repeat.warmup,
          .log = log};
}

Reply ReplyOf(const StageResult& result) {
  Reply reply;
  reply.status = result.status;
  reply.diagnostic = result.diagnostic;
  return reply;
}

}  // namespace

Reply TargetWorker::Handle(const Request& request, StageEvents& events) {
  const auto* execute = std::get_if<ExecuteVerb>(&request.verb);
  // An artifact file replaces what was compiled here.
  if (execute == nullptr || !execute->artifact.empty()) next_.Drop();
  if (execute != nullptr) return Execute(request, *execute, events);
  if (const auto* compile = std::get_if<CompileVerb>(&request.verb)) return Compile(request, *compile, events);
  return Reply::Unsupported(
      fmt::format("a target worker knows the verbs compile and execute, not '{}'", NameOf(request.verb)));
}

Reply TargetWorker::Compile(const Request& request, const CompileVerb& compile, StageEvents& events) {
  case_id_.clear();
  artifact_.clear();
  Expected<std::shared_ptr<const CaseSharding>> sharding = ShardingOf(request);
  if (!sharding) return Reply::Of(sharding.error());
  EventListener listener(events);
  const StageResult result = parts_.compiler->Compile({.case_id = request.case_id,
                                                       .file = request.file,
                                                       .dir = request.dir,
                                                       .save_intermediates = request.save_intermediates,
                                                       .after = request.after,
                                                       .until = compile.until,
                                                       .grid = request.grid,
                                                       .sharding = std::move(*sharding),
                                                       .verbatim = compile.verbatim},
                                                      listener, artifact_);
  Reply reply = ReplyOf(result);
  if (result.passed()) {
    case_id_ = request.case_id;
    reply.payload["artifact_bytes"] = artifact_.size();
    if (const std::string how = parts_.compiler->partitioning(); !how.empty()) reply.payload["partitioning"] = how;
    if (const Placements placements = parts_.compiler->placements(); !placements.empty()) {
      reply.payload["placements"] = placements;
    }
    if (!compile.artifact.empty() && compile.until.empty()) {
      const Expected<void> saved = WriteFile(compile.artifact, artifact_);
      if (!saved) return Reply::Fail("the artifact cannot be saved: " + saved.error().message);
      reply.payload["saved"] = true;
    }
    if (compile.keep && LoadsFromBytes()) {
      kept_[case_id_] = artifact_;
      reply.payload["kept"] = true;
    }
  }
  return reply;
}

// Makes the case of an `execute` the current one and loads its artifact.
StageResult TargetWorker::Load(const Request& request, const ExecuteVerb& execute, DeviceLog* log) {
  if (!execute.artifact.empty()) {
    case_id_.clear();
    Expected<std::string> bytes = ReadFile(execute.artifact);
    if (!bytes) return ResultOf(bytes.error());
    if (!parts_.device->Adopt(request.case_id, execute.artifact)) {
      return {Status::kUnsupported, "the device of this target loads no artifact from a file"};
    }
    artifact_ = std::move(*bytes);
    case_id_ = request.case_id;
  }
  const auto kept = kept_.find(request.case_id);
  const std::string& artifact = kept == kept_.end() || !execute.artifact.empty() ? artifact_ : kept->second;
  SpanTimer timer(log, "load", 0, static_cast<int64_t>(artifact.size()));
  loaded_bytes_ = artifact.size();
  return parts_.device->Load(artifact);
}

Reply TargetWorker::Execute(const Request& request, const ExecuteVerb& execute, StageEvents& events) {
  const bool has_artifact = !execute.artifact.empty() || kept_.contains(request.case_id) ||
                            (!case_id_.empty() && case_id_ == request.case_id);
  if (!has_artifact) {
    return Reply::Fail(
        fmt::format("execute of '{}' without its artifact: the last compiled case is '{}'", request.case_id, case_id_));
  }
  if (parts_.executor) return ExecuteInExecutor(request, execute, events);
  DeviceLog recorded;
  DeviceLog* const log = execute.spans ? &recorded : nullptr;
  events.Begin(kLoadStage);
  const StageResult* const started = next_.Loaded(request.case_id, request.dir);
  StageResult result = started != nullptr ? *started : Load(request, execute, log);
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
  BeginNext(execute);
  if (!ran) {
    ExecuteRequest asked = RequestOf(execute.repeat, request.dir, log);
    asked.inputs = request.inputs;
    asked.outputs = request.outputs;
    asked.grid = request.grid;
    Expected<std::shared_ptr<const CaseSharding>> sharding = ShardingOf(request);
    if (!sharding) return Reply::Of(sharding.error());
    asked.sharding = std::move(*sharding);
    ran = parts_.device->Execute(asked, timing);
  }
  result = *ran;
  events.End(result.status, result.diagnostic);
  Reply reply = ReplyOf(result);
  reply.payload["artifact_bytes"] = loaded_bytes_;
  if (!execute.artifact.empty()) reply.payload["loaded"] = true;
  if (log != nullptr) PutSpans(recorded, reply.payload);
  if (result.passed() && timing.n > 0) reply.payload["timing"] = timing;
  return reply;
}

// Only a kept case can be started: the artifact of any other is not here. The types of its inputs and outputs are
// unknown here; a device with a spare reads them from the artifact.
void TargetWorker::BeginNext(const ExecuteVerb& execute) {
  const auto kept = kept_.find(execute.next.case_id);
  if (kept == kept_.end()) return;
  next_.Begin({.case_id = kept->first,
               .artifact = kept->second,
               .inputs = execute.next.inputs,
               .request = RequestOf(execute.repeat, execute.next.dir, nullptr),
               .log = execute.spans});
}

// The artifact that this worker compiled is passed to the other worker as a file, as a saved artifact is.
Reply TargetWorker::ExecuteInExecutor(const Request& request, ExecuteVerb execute, StageEvents& events) {
  const bool saved = !execute.artifact.empty();
  if (!saved) {
    const auto kept = kept_.find(request.case_id);
    execute.artifact = request.dir / "artifact.bin";
    const Expected<void> written = WriteFile(execute.artifact, kept == kept_.end() ? artifact_ : kept->second);
    if (!written) return Reply::Fail("the artifact cannot be handed over: " + written.error().message);
  }
  Request passed_on = request;
  passed_on.verb = std::move(execute);
  Reply reply = parts_.executor->Execute(passed_on, events);
  if (saved) reply.payload["loaded"] = true;
  return reply;
}

}  // namespace opbyop::device
