// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device's clock around the timed runs of a case.
//
//   ClockReader reader(api);                                   // for the life of the worker
//   ClockReader::Recording recording(reader, case_id);
//   ... runs ...
//   Expected<PlacedRuns> runs = recording.End(calls);   // or why their times are of the host's clock
//
// A profiler that fails or does not come back is not asked again. A trace that says something else than the host costs
// its own case only. A plugin that dies meanwhile says so on standard error, by which the parent knows to ask for the
// host's clock from then on (docs/worker-protocol.md).
#ifndef OPBYOP_DEVICE_PJRT_WORKER_CLOCK_READER_H_
#define OPBYOP_DEVICE_PJRT_WORKER_CLOCK_READER_H_

#include <optional>
#include <span>
#include <string_view>

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

    // kUnsupported where the plugin has no profiler to use, else kBadInput. Once.
    Expected<PlacedRuns> End(std::span<const HostCall> calls);

   private:
    ClockReader& reader_;
    std::optional<Blame> blame_;  // to the session's end
    std::optional<int64_t> wall_;
    std::optional<ProfilerSession> session_;
  };

 private:
  std::chrono::milliseconds limit_;
  Expected<const ProfilerTable*> table_;  // the error: why there is none, or none any more
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_CLOCK_READER_H_
