// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The execution that a worker will be asked for next, begun on a second device of its kind while the first is at work.
//
//   NextExecutionQueue queue(std::move(spare));
//   queue.Begin({.case_id = id, .artifact = artifact, .inputs = {0, 2}, .request = {.dir = dir, .log = &log}});
//   if (const StageResult* loaded = queue.Loaded(id, dir)) {    // null: something else was begun, or nothing
//     Expected<BegunExecution> begun = queue.Take(device);      // waits for its end
//   }
//
// A thread loads the artifact and transfers the inputs that are there. Where those are all it runs the program too, and
// its outputs wait in a folder of their own: the harness clears `dir` before it asks.
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
  std::vector<int64_t> inputs;  // that lie in the folder
  ExecuteRequest request;       // its log is ignored
  bool log = false;
};

struct BegunExecution {
  size_t artifact_bytes = 0;
  std::optional<StageResult> ran;  // where it was run
  Timing timing;
  DeviceLog log;
};

class NextExecutionQueue {
 public:
  explicit NextExecutionQueue(std::unique_ptr<TargetDevice> spare) : device_(std::move(spare)) {}
  ~NextExecutionQueue() { Drop(); }

  // Where there is no other device nothing is ever begun.
  bool is_possible() const { return device_ != nullptr; }

  void Begin(NextExecutionJob job);

  // How loading went, if this is what was begun; waits for no more than that.
  const StageResult* Loaded(const std::string& case_id, const std::filesystem::path& dir);

  // What Loaded found. The device with the program becomes `device`, whose place the other takes; outputs are in the
  // execution's folder.
  Expected<BegunExecution> Take(std::unique_ptr<TargetDevice>& device);

  // Waits for what was begun, and forgets it.
  void Drop();

 private:
  void Work(std::promise<StageResult> loaded);

  std::unique_ptr<TargetDevice> device_;
  std::optional<NextExecutionJob> job_;
  std::future<StageResult> loading_;
  StageResult loaded_;
  BegunExecution begun_;
  std::thread thread_;
};

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_NEXT_EXECUTION_H_
