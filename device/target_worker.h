// Any target behind the worker protocol: verbs `compile` and `execute`.
//
//   TargetWorker worker(std::move(parts));
//   return ServeWorker({"target", target.name, worker.Version()}, worker);
//
// The artifact of the last compilation is kept for the `execute` that follows it; those of compilations that asked
// for it (`keep`) for any later one.
#ifndef OPBYOP_DEVICE_TARGET_WORKER_H_
#define OPBYOP_DEVICE_TARGET_WORKER_H_

#include <map>
#include <string>

#include "device/target_registry.h"
#include "protocol/worker_server.h"

namespace opbyop {

class TargetWorker : public WorkerHandler {
 public:
  explicit TargetWorker(TargetParts parts) : parts_(std::move(parts)) {}

  std::string Version() const { return parts_.compiler->Version(); }
  int64_t Cores() const { return parts_.device ? parts_.device->Cores() : 0; }
  Reply Handle(const Request& request, StageEvents& events) override;

 private:
  Reply Compile(const Request& request, StageEvents& events);
  Reply Execute(const Request& request, StageEvents& events);

  TargetParts parts_;
  std::string case_id_;  // whose artifact this is; empty: none
  std::string artifact_;
  std::map<std::string, std::string> kept_;  // artifact by case
};

}  // namespace opbyop

#endif  // OPBYOP_DEVICE_TARGET_WORKER_H_
