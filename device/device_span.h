// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Records what a device did during an `execute`, span by span, for the timeline of a chained run.
//
//   DeviceLog log;
//   {
//    SpanTimer timer(&log, "transfer_in", 0, bytes);   // a null log records nothing
//     Upload();
//   }
//  log.AddRuns(starts, microseconds);                  // the timed runs
//
// Times are nanoseconds of CLOCK_MONOTONIC, which all processes of a machine share (docs/worker-protocol.md).
#ifndef OPBYOP_DEVICE_DEVICE_SPAN_H_
#define OPBYOP_DEVICE_DEVICE_SPAN_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/span.h"

namespace opbyop::device {

// The clock that measured the timed runs.
struct RunClock {
  bool device = false;
  int64_t slack_ns = 0;
};

inline int64_t MonotonicNs() {
  // std::chrono::steady_clock is CLOCK_MONOTONIC on Linux.
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct DeviceLog {
  std::vector<protocol::Span> spans;
  int64_t longest_ns = 0;      // the longest of the timed runs
  std::string why_host_clock;  // why a device that has, or could have, a clock of its own was not measured by it
  std::string trace;           // what the device's profiler recorded of the timed runs, a serialized XSpace

  // Adds two spans for the timed runs, which started at `starts_ns` and took `microseconds`: the run that took the
  // median time, and the time of all of them. A span for each run would cost more than a run of a small op. Returns the
  // number of the run that took the median time; 0 if there are none.
  size_t AddRuns(const std::vector<int64_t>& starts_ns, const std::vector<double>& microseconds,
                 const RunClock& clock = {});
};

// Records a span from the construction of the timer to its destruction.
class SpanTimer {
 public:
  SpanTimer(DeviceLog* log, std::string_view kind, int64_t index = 0, int64_t bytes = 0)
      : log_(log), span_{std::string(kind), index, log == nullptr ? 0 : MonotonicNs(), 0, bytes} {}
  SpanTimer(const SpanTimer&) = delete;
  SpanTimer& operator=(const SpanTimer&) = delete;
  ~SpanTimer() {
    if (log_ == nullptr) return;
    span_.dur_ns = MonotonicNs() - span_.start_ns;
    log_->spans.push_back(span_);
  }

 private:
  DeviceLog* log_;
  protocol::Span span_;
};

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_DEVICE_SPAN_H_
