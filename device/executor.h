// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs the stages `load` and `execute` in another process, which speaks the worker protocol itself.
//
//   Reply reply = executor.Execute(request, events);   // its `artifact` is the file to load
//
// A target has a TargetDevice or one of these (device/target_registry.h).
#ifndef OPBYOP_DEVICE_EXECUTOR_H_
#define OPBYOP_DEVICE_EXECUTOR_H_

#include <string>

#include "protocol/request.h"
#include "protocol/worker_server.h"

namespace opbyop::device {

class Executor {
 public:
  virtual ~Executor() = default;

  // The reason why this machine cannot execute anything: "no Vulkan device". Empty if it can.
  virtual std::string CompileOnly() const = 0;

  // `request` is an `execute` that names an artifact's file. Reports both stages to `events`.
  virtual protocol::Reply Execute(const protocol::Request& request, protocol::StageEvents& events) = 0;
};

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_EXECUTOR_H_
