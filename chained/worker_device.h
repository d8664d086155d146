// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A target's warm worker as the device of a chained run.
//
//   Expected<std::unique_ptr<WorkerDevice>> device = WorkerDevice::Start(target, {.cases = out / "cases"});
//   DeviceRun run = (*device)->Run(c, text, inputs, [] {});
//
// A case is compiled once and kept by the worker, ahead of the run; one that does not compile is not tried again. A
// worker that dies costs the current op: the next gets a fresh one, which compiles again what it is asked for. One that
// dies of reading the device's clock costs all later ops that clock.
#ifndef OPBYOP_CHAINED_WORKER_DEVICE_H_
#define OPBYOP_CHAINED_WORKER_DEVICE_H_

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chained/chain_device.h"
#include "harness/worker/scratch.h"
#include "harness/worker/target_client.h"
#include "manifests/targets/target.h"

namespace opbyop::chained {

struct WorkerDeviceOptions {
  std::filesystem::path cases;  // where per-op files are written, or are already
  protocol::Repeat repeat = {.min = 3, .max = 1000, .budget_ms = 50, .warmup = 1, .relative_error = 0.02};
  bool spans = true;     // ask the worker for the pieces of each execution
  bool overlap = false;  // tell it which comes next, where it begins with that meanwhile
};

class WorkerDevice : public ChainDevice {
 public:
  // kUnsupported for a target that has no device.
  static Expected<std::unique_ptr<WorkerDevice>> Start(const Target& target, WorkerDeviceOptions options);

  std::optional<DeviceRun> Prepare(const Case& c, const std::function<std::string()>& text) override;
  bool LooksAhead() const override { return options_.overlap && hello().ahead; }
  void Announce(const Case& next, std::vector<std::optional<reference::InputData>> inputs) override;
  DeviceRun Run(const Case& c, const std::function<std::string()>& text,
                const std::vector<reference::InputData>& inputs, const std::function<void()>& meanwhile) override;

  const protocol::Hello& hello() const { return client_.hello(); }
  WorkerDeviceOptions& options() { return options_; }

 private:
  WorkerDevice(const Target& target, harness::WorkerSpec spec, WorkerDeviceOptions options,
               std::unique_ptr<harness::Scratch> scratch);

  // An execution's folder and what of its inputs lies there.
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

  Expected<std::filesystem::path> FileOf(const Case& c, const std::function<std::string()>& text) const;
  // Whether the worker now has the case's artifact; `run` has the stages, and where it does not have it, the reason.
  bool Compile(const Case& c, const std::function<std::string()>& text, protocol::Request request, DeviceRun& run);

  WorkerDeviceOptions options_;
  std::unique_ptr<harness::Scratch> scratch_;
  harness::TargetClient client_;
  bool keeps_ = true;                         // until a worker compiles without saying so
  std::map<std::string, DeviceRun> refused_;  // cases that did not compile
  std::string why_host_clock_;                // a worker died of the device's clock: nobody asks for it again
  std::unique_ptr<Folder> told_;              // of what comes after the next Run
  std::unique_ptr<Folder> begun_;             // of the next Run, where the worker was told of it
};

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_WORKER_DEVICE_H_
