// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a device did during an `execute`, piece by piece, for the timeline of a chained run.
//
//   DeviceLog log;
//   {
//     SpanTimer timer(&log, "transfer_in", 0, bytes);   // null: nothing is recorded
//     Upload();
//   }
//   log.AddRuns(starts, microseconds);                  // of the timed runs
//
// Times are nanoseconds of CLOCK_MONOTONIC, which all processes of a machine share (docs/worker-protocol.md).
#ifndef OPBYOP_DEVICE_DEVICE_SPAN_H_
#define OPBYOP_DEVICE_DEVICE_SPAN_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop::device {

struct DeviceSpan {
  std::string_view kind;  // transfer_in, load, allocate, repeats, execute, transfer_out
  int64_t index = 0;      // of the input, output or run
  int64_t start_ns = 0;
  int64_t dur_ns = 0;
  int64_t bytes = 0;          // moved or allocated
  bool device_clock = false;  // the device's own clock, brought to CLOCK_MONOTONIC
  int64_t slack_ns = 0;       // how much later it may have begun: where that is known less well than how long it took
};

// What measured timed runs.
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
  std::vector<DeviceSpan> spans;
  int64_t longest_ns = 0;      // of the timed runs
  std::string why_host_clock;  // a device that has a clock of its own, or could have one, and was not measured by it

  // Adds two spans for the timed runs, which began at `starts_ns` and took `microseconds`: the run that took the median
  // time, and the time of all of them. A span for each run would cost more than a run of a small op.
  void AddRuns(const std::vector<int64_t>& starts_ns, const std::vector<double>& microseconds,
               const RunClock& clock = {});
};

// As the protocol has them, a line for each: kind, index, start, duration, bytes, clock, slack; the last three where
// there is something to say.
std::string SpanLines(const DeviceLog& log);

// From its construction to its end of life.
class SpanTimer {
 public:
  SpanTimer(DeviceLog* log, std::string_view kind, int64_t index = 0, int64_t bytes = 0)
      : log_(log), span_{kind, index, log == nullptr ? 0 : MonotonicNs(), 0, bytes} {}
  SpanTimer(const SpanTimer&) = delete;
  SpanTimer& operator=(const SpanTimer&) = delete;
  ~SpanTimer() {
    if (log_ == nullptr) return;
    span_.dur_ns = MonotonicNs() - span_.start_ns;
    log_->spans.push_back(span_);
  }

 private:
  DeviceLog* log_;
  DeviceSpan span_;
};

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_DEVICE_SPAN_H_
