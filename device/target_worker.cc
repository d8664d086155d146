#include "device/target_worker.h"

#include <fmt/format.h>

#include "manifests/result.h"
#include "manifests/target.h"

namespace opbyop {
namespace {

class EventListener : public StageListener {
 public:
  explicit EventListener(StageEvents& events) : events_(events) {}
  void Begin(std::string_view stage) override { events_.Begin(stage); }
  void End(std::string_view, const StageResult& result) override { events_.End(result.status, result.diagnostic); }

 private:
  StageEvents& events_;
};

Reply ReplyOf(const StageResult& result) {
  Reply reply;
  reply.status = result.status;
  reply.diagnostic = result.diagnostic;
  return reply;
}

}  // namespace

Reply TargetWorker::Handle(const Request& request, StageEvents& events) {
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
                                                       .save_intermediates = request.save_intermediates},
                                                      listener, artifact_);
  Reply reply = ReplyOf(result);
  if (result.passed()) {
    case_id_ = request.case_id;
    reply.payload["artifact_bytes"] = artifact_.size();
  }
  return reply;
}

Reply TargetWorker::Execute(const Request& request, StageEvents& events) {
  if (case_id_.empty() || case_id_ != request.case_id) {
    return Reply::Fail(
        fmt::format("execute of '{}' without its artifact: the last compiled case is '{}'", request.case_id, case_id_));
  }
  events.Begin(kLoadStage);
  StageResult result = parts_.device->Load(artifact_);
  events.End(result.status, result.diagnostic);
  if (!result.passed()) return ReplyOf(result);

  Timing timing;
  events.Begin(kExecuteStage);
  result = parts_.device->Execute({.dir = request.dir,
                                   .min_runs = request.repeat.min,
                                   .max_runs = request.repeat.max,
                                   .budget_ms = request.repeat.budget_ms},
                                  timing);
  events.End(result.status, result.diagnostic);
  Reply reply = ReplyOf(result);
  reply.payload["artifact_bytes"] = artifact_.size();
  if (result.passed() && timing.n > 0) reply.payload["timing"] = timing;
  return reply;
}

}  // namespace opbyop
