// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A device behind a worker of its own: `device: {kind: worker, worker: [argv]}`. This process compiles by commands and
// pipelines to a file, which the other worker, started once, loads and executes (docs/adding-a-target.md).
//
//   auto executor = WorkerExecutor::Start({.argv = {"python3", "worker.py"}, .hello_timeout_s = 60});
//   Reply reply = (*executor)->Execute(request, events);
//
// A worker that dies costs only the current case, whose stage is a `crash` with the last line that the worker printed;
// the next case gets a new worker. A worker that hangs is ended with this process.
#ifndef OPBYOP_DEVICE_WORKER_WORKER_EXECUTOR_H_
#define OPBYOP_DEVICE_WORKER_WORKER_EXECUTOR_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/command/command_target.h"
#include "device/executor.h"
#include "device/target_registry.h"
#include "manifests/targets/target.h"
#include "protocol/frame.h"
#include "protocol/worker_message.h"
#include "support/expected.h"
#include "support/process/process.h"

namespace opbyop::worker {

struct WorkerOptions {
  std::vector<std::string> argv;
  double hello_timeout_s = 60;
  double grace_s = 5;  // to exit by itself once there are no more requests
};

class WorkerExecutor : public device::Executor {
 public:
  // If the worker says that it is not installed (exit code 3 or 127 before its hello), the result is an executor that
  // can execute nothing. Returns an error if the worker is broken.
  static Expected<std::unique_ptr<WorkerExecutor>> Start(WorkerOptions options);
  ~WorkerExecutor() override;

  std::string CompileOnly() const override { return compile_only_; }
  protocol::Reply Execute(const protocol::Request& request, protocol::StageEvents& events) override;

 private:
  explicit WorkerExecutor(WorkerOptions options) : options_(std::move(options)) {}

  struct Ended {
    std::string why;  // "died of SIGABRT (Aborted): what it printed last"
    std::optional<Exit> exit;
  };

  // Returns how the worker ended if it sent no hello.
  std::optional<Ended> Launch();
  // The next message, or how the worker ended. A `timeout_s` below 0 waits without limit.
  std::optional<Ended> Receive(double timeout_s, protocol::WorkerMessage& message);
  bool Send(const std::string& frame);
  Ended End(std::string why);
  void PassOnLog();

  WorkerOptions options_;
  std::unique_ptr<Process> process_;  // null: a worker must be started
  protocol::FrameReader reader_;
  std::string compile_only_;
  std::string last_line_;  // the last line that it printed since the request
};

// Compiles as a target of kind `command` does, with the same Unavailable results and errors.
device::TargetCreation CreateWorkerTarget(const Target& target, const command::PipelineRunnerFactory& make_runner);

}  // namespace opbyop::worker

#endif  // OPBYOP_DEVICE_WORKER_WORKER_EXECUTOR_H_
