// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Serves any target through the worker protocol: the verbs `compile` and `execute`.
//
//   TargetWorker worker(std::move(parts));
//   return ServeWorker({"target", target.name, worker.Version()}, worker);
//
// The artifact of the last compilation is kept for the `execute` that follows it. Artifacts of compilations with `keep`
// are kept for any later `execute`. An artifact that was saved in a file (`artifact`) is executed from there, by this
// process or by a worker on another machine.
#ifndef OPBYOP_DEVICE_TARGET_WORKER_H_
#define OPBYOP_DEVICE_TARGET_WORKER_H_

#include <cstddef>
#include <map>
#include <string>

#include "device/next_execution.h"
#include "device/target_registry.h"
#include "protocol/worker_server.h"

namespace opbyop::device {

class TargetWorker : public protocol::WorkerHandler {
 public:
  explicit TargetWorker(TargetParts parts) : parts_(std::move(parts)), next_(std::move(parts_.spare)) {}

  std::string Version() const { return parts_.compiler->Version(); }
  int64_t Cores() const { return parts_.device ? parts_.device->Cores() : 0; }
  int64_t Devices() const { return parts_.device ? parts_.device->Devices() : 1; }

  bool Divides() const { return parts_.device && parts_.device->Divides(); }

  // The reason why this machine cannot execute anything. Empty if it can.
  std::string CompileOnly() const { return parts_.executor ? parts_.executor->CompileOnly() : ""; }

  // Whether it can start the next execution during the current one, if a request announces it.
  bool Ahead() const { return next_.is_possible(); }

  protocol::Reply Handle(const protocol::Request& request, protocol::StageEvents& events) override;

 private:
  protocol::Reply Compile(const protocol::Request& request, const protocol::CompileVerb& compile,
                          protocol::StageEvents& events);
  protocol::Reply Execute(const protocol::Request& request, const protocol::ExecuteVerb& execute,
                          protocol::StageEvents& events);
  protocol::Reply ExecuteInExecutor(const protocol::Request& request, protocol::ExecuteVerb execute,
                                    protocol::StageEvents& events);
  bool LoadsFromBytes() const { return parts_.executor || (parts_.device && parts_.device->LoadsFromBytes()); }
  StageResult Load(const protocol::Request& request, const protocol::ExecuteVerb& execute, DeviceLog* log);

  void BeginNext(const protocol::ExecuteVerb& execute);

  TargetParts parts_;
  std::string case_id_;  // the case of `artifact_`; empty: none
  std::string artifact_;
  size_t loaded_bytes_ = 0;                  // size of the artifact loaded last
  std::map<std::string, std::string> kept_;  // artifact by case
  NextExecutionQueue next_;
};

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_TARGET_WORKER_H_
