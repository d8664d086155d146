// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the device's clock around the timed runs of a case.
//
//   ClockReader reader(api);                                   // for the life of the worker
//   ClockReader::Recording recording(reader, case_id);
//   ... runs ...
//  Expected<PlacedRuns> runs = recording.End(calls);   // the error says why the host's clock has to be used
//
// A profiler that fails or does not return is not used again. A trace that contradicts the host costs only its own
// case. A plugin that dies while it records prints that on standard error, and the parent then requests the host's
// clock from then on (docs/worker-protocol.md).
#ifndef OPBYOP_DEVICE_PJRT_WORKER_CLOCK_READER_H_
#define OPBYOP_DEVICE_PJRT_WORKER_CLOCK_READER_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "device/pjrt/device_clock.h"
#include "device/pjrt/profiler.h"
#include "device/pjrt/worker/blame.h"

namespace opbyop::pjrt {

class ClockReader {
 public:
  explicit ClockReader(const Api& api, std::chrono::milliseconds limit = kProfilerLimit)
      : limit_(limit), table_(FindProfiler(api)) {}

  class Recording {
   public:
    Recording(ClockReader& reader, std::string_view case_id);

    // Returns kUnsupported if the plugin has no usable profiler, else kBadInput. May be called once.
    Expected<PlacedRuns> End(std::span<const HostCall> calls);

    // After End: the serialized XSpace; empty if nothing was recorded.
    std::string TakeTrace() { return std::move(trace_); }

   private:
    ClockReader& reader_;
    std::optional<Blame> blame_;  // in place until the session ends
    std::optional<int64_t> wall_;
    std::optional<ProfilerSession> session_;
    std::string trace_;
  };

 private:
  std::chrono::milliseconds limit_;
  Expected<const ProfilerTable*> table_;  // the error says why there is none, or no longer one
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_CLOCK_READER_H_
