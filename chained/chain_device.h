// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The interface of a device for chained runs: it runs one case on given inputs. A target's worker implements it
// (worker_device.h); tests implement it with functions.
#ifndef OPBYOP_CHAINED_CHAIN_DEVICE_H_
#define OPBYOP_CHAINED_CHAIN_DEVICE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "manifests/cases/case.h"
#include "manifests/results/result.h"
#include "protocol/span.h"
#include "reference/inputs/inputs.h"

namespace opbyop::chained {

// A stage that was run, on CLOCK_MONOTONIC.
struct DeviceStage {
  StageRecord record;
  int64_t start_ns = 0;
};

// The record that a device's profiler made of one execution.
struct DeviceProfile {
  std::string xspace;   // the serialized XSpace; empty: none was recorded
  std::string program;  // the text of the compiled program; may be empty
};

struct DeviceRun {
  Status status = Status::kPass;
  std::string stage;  // the stage that started last
  std::string diagnostic;
  std::vector<DeviceStage> stages;            // those of the compiler only if it ran for this request
  std::vector<protocol::Span> pieces;         // empty if the worker does not report them
  Timing timing;                              // of the timed runs
  int64_t longest_ns = 0;                     // of these; 0 if the worker does not report it
  std::string why_host_clock;                 // why the host's clock was used although the device has one of its own
  DeviceProfile profile;                      // if it was asked for
  std::string why_no_profile;                 // why it was asked for and there is none
  std::vector<reference::InputData> outputs;  // in stored form; all of them if the status is pass
  // the inputs that it ran on if they differ from the given ones; else empty
  std::vector<reference::InputData> inputs;
  int64_t handover_start_ns = 0;  // writing the inputs to where the device reads them
  int64_t handover_end_ns = 0;

  bool passed() const { return status == Status::kPass; }
};

class ChainDevice {
 public:
  virtual ~ChainDevice() = default;

  // Compiles the case ahead of its first Run if the device can keep it. `text` returns the per-op file, and is called
  // only if the case must be compiled. The answer has only the stages of the compiler. nullopt: nothing was done, Run
  // compiles.
  virtual std::optional<DeviceRun> Prepare(const Case&, const std::function<std::string()>&) { return std::nullopt; }

  // Whether the device uses what it is passed by Announce.
  virtual bool UsesAnnouncements() const { return false; }

  // Called before a Run: the case that comes after that Run, and those of its inputs that are known. The device may
  // transfer them during that Run, and may also run the case if all of them are there.
  virtual void Announce(const Case& /*next*/, std::vector<std::optional<reference::InputData>> /*inputs*/) {}

  // `meanwhile` is work of the caller that can be done while the device works. It is called then, if possible, or not
  // at all.
  virtual DeviceRun Run(const Case& c, const std::function<std::string()>& text,
                        const std::vector<reference::InputData>& inputs, const std::function<void()>& meanwhile) = 0;
};

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_CHAIN_DEVICE_H_
