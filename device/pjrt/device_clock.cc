// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/device_clock.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>

#include "support/text/count_text.h"

namespace opbyop::pjrt {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr int64_t kYear2000Ns = 946'684'800 * kNsPerSecond;
constexpr int64_t kClockReadNs = 1000;  // the two clocks are not read at the same instant
constexpr double kPsPerUs = 1e6;

int64_t NowNs(clockid_t clock) {
  struct timespec now = {};
  ::clock_gettime(clock, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

// Rounds up, so that even an event shorter than a nanosecond does not end before it starts.
int64_t EndNs(const DeviceEvent& event) {
  return event.start_ns + (event.duration_ps + xspace::kPsPerNs - 1) / xspace::kPsPerNs;
}

}  // namespace

std::optional<int64_t> WallOffset() {
  constexpr int kTries = 10;  // the thread may be preempted between two readings
  for (int i = 0; i < kTries; ++i) {
    const int64_t before = NowNs(CLOCK_MONOTONIC);
    const int64_t wall = NowNs(CLOCK_REALTIME);
    const int64_t after = NowNs(CLOCK_MONOTONIC);
    if (after - before <= kClockReadNs) return before + (after - before) / 2 - wall;
  }
  return std::nullopt;
}

Expected<PlacedRuns> PlaceRuns(std::span<const DeviceEvent> events, std::span<const HostCall> calls,
                               std::optional<int64_t> wall) {
  if (events.size() != calls.size()) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("the trace has {}, and there were {}", CountText(events.size(), "execution"),
                                 CountText(calls.size(), "run")));
  }
  if (calls.empty()) return MakeError(ExitCode::kBadInput, "nothing was run");
  int64_t least = INT64_MIN, most = INT64_MAX;  // bounds of the offset
  for (size_t i = 0; i < calls.size(); ++i) {
    least = std::max(least, calls[i].start_ns - events[i].start_ns);
    most = std::min(most, calls[i].end_ns - EndNs(events[i]));
  }
  if (least > most) {
    return MakeError(
        ExitCode::kBadInput,
        fmt::format("the trace contradicts the host: its executions do not fit into the calls that made them, "
                    "by {} ns wherever they are put",
                    least - most));
  }
  const bool is_wall = events.front().start_ns >= kYear2000Ns;
  if (is_wall && !wall)
    return MakeError(ExitCode::kBadInput, "the trace is of the wall clock, which was set meanwhile");
  if (is_wall && (*wall < least - kClockReadNs || *wall > most + kClockReadNs)) {
    const int64_t outside = *wall < least ? least - *wall : *wall - most;
    return MakeError(ExitCode::kBadInput, fmt::format("in the trace, an execution is {} ns {} the call that made it",
                                                      outside, *wall < least ? "before" : "behind"));
  }
  const int64_t offset = is_wall ? std::clamp(*wall, least, most) : least;
  PlacedRuns runs = {.slack_ns = is_wall ? 0 : most - least};
  for (const DeviceEvent& event : events) {
    runs.starts_ns.push_back(event.start_ns + offset);
    runs.microseconds.push_back(static_cast<double>(event.duration_ps) / kPsPerUs);
  }
  return runs;
}

}  // namespace opbyop::pjrt
