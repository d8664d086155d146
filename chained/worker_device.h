// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Uses a target's warm worker as the device of a chained run.
//
//   Expected<std::unique_ptr<WorkerDevice>> device = WorkerDevice::Start(target, {.cases = out / "cases"});
//   DeviceRun run = (*device)->Run(c, text, inputs, [] {});
//
// A case is compiled once, ahead of the run, and kept by the worker; a case that does not compile is not tried again.
// If a worker dies, only the current op is lost: the next op gets a new worker, which compiles again the cases it is
// asked for. After a worker has died while reading the device's clock, that clock is no longer used.
#ifndef OPBYOP_CHAINED_WORKER_DEVICE_H_
#define OPBYOP_CHAINED_WORKER_DEVICE_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chained/chain_device.h"
#include "harness/worker/case_client.h"
#include "manifests/targets/target.h"

namespace opbyop::chained {

struct WorkerDeviceOptions {
  std::filesystem::path cases;  // where per-op files are written, unless they exist there
  protocol::Repeat repeat = {.min = 3, .max = 1000, .budget_ms = 50, .warmup = 1, .relative_error = 0.02};
  bool spans = true;     // asks the worker for the pieces of each execution
  bool profile = false;  // asks a worker that can for its profiler's record of one execution
  bool overlap = false;  // announces the next execution to a worker that can prepare it in the meantime
};

class WorkerDevice : public ChainDevice {
 public:
  // Returns kUnsupported for a target that has no device.
  static Expected<std::unique_ptr<WorkerDevice>> Start(const Target& target, WorkerDeviceOptions options);

  std::optional<DeviceRun> Prepare(const Case& c, const std::function<std::string()>& text) override;
  bool UsesAnnouncements() const override { return options_.overlap && hello().ahead; }
  void Announce(const Case& next, std::vector<std::optional<reference::InputData>> inputs) override;
  DeviceRun Run(const Case& c, const std::function<std::string()>& text,
                const std::vector<reference::InputData>& inputs, const std::function<void()>& meanwhile) override;

  const protocol::Hello& hello() const { return client_->worker().hello(); }
  const std::string& partitioner() const { return client_->worker().target().partitioner; }
  WorkerDeviceOptions& options() { return options_; }

 private:
  WorkerDevice(std::unique_ptr<harness::CaseClient> client, WorkerDeviceOptions options)
      : options_(std::move(options)), client_(std::move(client)) {}

  harness::TargetClient& worker() { return client_->worker(); }

  // An execution's folder and the inputs that were written to it.
  struct Folder {
    std::string case_id;
    harness::ScratchDir dir;
    std::vector<std::optional<reference::InputData>> inputs;
  };
  Expected<Folder> FolderOf(const Case& c, const std::vector<reference::InputData>& inputs);
  static protocol::NextExecution NextExecutionOf(const Folder& next);
  DeviceRun RunOnce(const Case& c, const std::function<std::string()>& text,
                    const std::vector<reference::InputData>& inputs, const Folder* next,
                    const std::function<void()>& meanwhile);

  // Returns whether the worker now has the case's artifact. `run` receives the stages, and the reason if it does not.
  bool Compile(const Case& c, const std::function<std::string()>& text, const std::filesystem::path& dir,
               const std::vector<TensorType>& inputs, DeviceRun& run);

  WorkerDeviceOptions options_;
  std::unique_ptr<harness::CaseClient> client_;
  bool keeps_ = true;  // false once a worker has compiled a case again
  // set after a worker died while reading the device's clock, which is then no longer asked for
  std::string why_host_clock_;
  std::unique_ptr<Folder> announced_;  // of the execution after the next Run
  std::unique_ptr<Folder> prepared_;   // of the next Run, if it was announced to the worker
};

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_WORKER_DEVICE_H_
