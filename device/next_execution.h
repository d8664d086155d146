// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Starts the next execution of a worker on a second device of the same kind, while the first device is still at work.
//
//   NextExecutionQueue queue(std::move(spare));
//   queue.Begin({.case_id = id, .artifact = artifact, .inputs = {0, 2}, .request = {.dir = dir, .log = &log}});
//  if (const StageResult* loaded = queue.Loaded(id, dir)) {    // null: nothing, or another execution, was started
//     Expected<StartedExecution> started = queue.Take(device);      // waits for its end
//   }
//
// A thread loads the artifact and transfers the inputs that are present. If those are all the inputs, it runs the
// program too. Its outputs wait in a folder of their own, because the harness clears `dir` before it sends the request.
#ifndef OPBYOP_DEVICE_NEXT_EXECUTION_H_
#define OPBYOP_DEVICE_NEXT_EXECUTION_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "device/target_device.h"
#include "manifests/results/result.h"
#include "support/expected.h"

namespace opbyop::device {

struct NextExecutionJob {
  std::string case_id;
  std::string artifact;
  std::vector<int64_t> inputs;  // inputs that are already in the folder
  ExecuteRequest request;       // its log is ignored
  bool log = false;
};

struct StartedExecution {
  size_t artifact_bytes = 0;
  std::optional<StageResult> ran;  // set if the program was run
  Timing timing;
  DeviceLog log;
};

class NextExecutionQueue {
 public:
  explicit NextExecutionQueue(std::unique_ptr<TargetDevice> spare) : device_(std::move(spare)) {}
  ~NextExecutionQueue() { Drop(); }

  // If false, there is no second device, and Begin does nothing.
  bool is_possible() const { return device_ != nullptr; }

  void Begin(NextExecutionJob job);

  // The result of loading, if this execution was started; waits for the loading only. Null otherwise.
  const StageResult* Loaded(const std::string& case_id, const std::filesystem::path& dir);

  // Ends the execution that Loaded found. `device` becomes the device that has the program, and the other one takes its
  // place here. Outputs are moved to the execution's folder.
  Expected<StartedExecution> Take(std::unique_ptr<TargetDevice>& device);

  // Waits for the started execution and discards it.
  void Drop();

 private:
  void Work(std::promise<StageResult> loaded);

  std::unique_ptr<TargetDevice> device_;
  std::optional<NextExecutionJob> job_;
  std::future<StageResult> loading_;
  StageResult loaded_;
  StartedExecution started_;
  std::thread thread_;
};

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_NEXT_EXECUTION_H_
