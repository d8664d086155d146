// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs functions chunk by chunk on devices and judges them by the reference, on several threads.
//
//   ChunkRunner runner({.devices = devices, .jobs = 2, .journal = &journal});
//   runner.on_chunk = [](size_t function, const FunctionOutcome& outcome) { ... };   // one call at a time
//   Expected<void> done = runner.Run(tasks, outcomes);
//
// A chunk that ends in a crash or a timeout is run once more, by a new worker. If the chunk fails in this way again, or
// if the function does not compile, the function is given up.
#ifndef OPBYOP_COMMANDS_EXHAUST_CHUNK_RUNNER_H_
#define OPBYOP_COMMANDS_EXHAUST_CHUNK_RUNNER_H_

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands/exhaust/chunk_device.h"
#include "commands/exhaust/chunk_judge.h"
#include "commands/exhaust/chunk_plan.h"
#include "commands/exhaust/journal.h"
#include "manifests/targets/arithmetic.h"

namespace opbyop::exhaustive {

struct FunctionTask {
  Function function;
  Case c;  // the program with as many elements as a chunk
  ChunkPlan plan;
  std::vector<uint64_t> chunks;  // of the plan, in order
};

struct FunctionOutcome {
  Status status = Status::kPass;  // of the device and the reference; mismatches are in the tally
  std::string stage;
  std::string diagnostic;
  std::vector<StageRecord> stages;  // of the first chunk that was run
  Tally tally;
  uint64_t done = 0;       // chunks
  uint64_t run = 0;        // those of `done` that were not in the journal
  int64_t values_run = 0;  // in `run`
  int attempts = 1;        // the most for one chunk
  double seconds = 0;      // from the first chunk that was run to the last
  std::string start;       // RFC 3339, UTC
};

struct RunnerOptions {
  // Each is used by one thread at a time; the threads without a device judge in the meantime.
  std::vector<ChunkDevice*> devices;
  int jobs = 1;
  Arithmetic arithmetic;  // as the target declares it
  Journal* journal = nullptr;
};

class ChunkRunner {
 public:
  explicit ChunkRunner(RunnerOptions options) : options_(std::move(options)) {}

  // Called after every chunk, and once for a function whose chunks are all in the journal.
  std::function<void(size_t function, const FunctionOutcome& outcome)> on_chunk = [](size_t, const FunctionOutcome&) {};
  // Called when nothing is left to do for a function.
  std::function<void(size_t function, const FunctionOutcome& outcome)> on_end = [](size_t, const FunctionOutcome&) {};

  // Returns one outcome per task, or an error if the journal cannot be written.
  Expected<std::vector<FunctionOutcome>> Run(std::span<const FunctionTask> tasks);

 private:
  class Session;
  RunnerOptions options_;
};

}  // namespace opbyop::exhaustive

#endif  // OPBYOP_COMMANDS_EXHAUST_CHUNK_RUNNER_H_
