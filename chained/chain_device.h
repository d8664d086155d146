// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a chained run asks of a device: one case, on inputs that it is given. A worker of a target is one
// (worker_device.h); a test brings a function.
#ifndef OPBYOP_CHAINED_CHAIN_DEVICE_H_
#define OPBYOP_CHAINED_CHAIN_DEVICE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "manifests/cases/case.h"
#include "manifests/optrace/optrace.h"
#include "manifests/results/result.h"
#include "reference/inputs/inputs.h"

namespace opbyop::chained {

// A stage that was run, on CLOCK_MONOTONIC.
struct DeviceStage {
  StageRecord record;
  int64_t start_ns = 0;
};

// A piece of an `execute`, as the worker told (docs/worker-protocol.md, `spans`).
struct DevicePiece {
  std::string kind;  // transfer_in, load, allocate, repeats, execute, transfer_out
  int64_t index = 0;
  int64_t start_ns = 0;
  int64_t dur_ns = 0;
  int64_t bytes = 0;
  optrace::Clock clock = optrace::Clock::kHost;
  int64_t slack_ns = 0;  // how much later it may have begun
  int64_t end_ns() const { return start_ns + dur_ns; }
};

struct DeviceRun {
  Status status = Status::kPass;
  std::string stage;  // begun last
  std::string diagnostic;
  std::vector<DeviceStage> stages;            // those of the compiler only where it ran for this request
  std::vector<DevicePiece> pieces;            // empty where the worker does not tell
  Timing timing;                              // of the timed runs
  int64_t longest_ns = 0;                     // of these; 0 where the worker does not tell
  std::string why_host_clock;                 // where a device's own clock could have measured these, and did not
  std::vector<reference::InputData> outputs;  // in stored form; all of them where the status is pass
  std::vector<reference::InputData> inputs;   // that it ran on, where they are not those it was given; else empty
  int64_t handover_start_ns = 0;              // writing the inputs where the device reads them
  int64_t handover_end_ns = 0;

  bool passed() const { return status == Status::kPass; }
};

class ChainDevice {
 public:
  virtual ~ChainDevice() = default;

  // `text` makes the per-op file, and is called only where the case must be compiled.
  // Compiles the case ahead of its first Run, where the device can keep it; its stages alone are in the answer.
  // nullopt: nothing was done, Run compiles.
  virtual std::optional<DeviceRun> Prepare(const Case&, const std::function<std::string()>&) { return std::nullopt; }

  // Whether it does something with what Announce tells.
  virtual bool LooksAhead() const { return false; }

  // Told before a Run: which case comes after that, and those of its inputs that are known. The device may transfer
  // them beside that Run, and run the case too where they are all there.
  virtual void Announce(const Case& /*next*/, std::vector<std::optional<reference::InputData>> /*inputs*/) {}

  // `meanwhile` is what the caller has to do beside: called while the device works, where that can be, else not at all.
  virtual DeviceRun Run(const Case& c, const std::function<std::string()>& text,
                        const std::vector<reference::InputData>& inputs, const std::function<void()>& meanwhile) = 0;
};

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_CHAIN_DEVICE_H_
