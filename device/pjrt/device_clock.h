// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Converts the times of a device's own clock to CLOCK_MONOTONIC: exactly if the offset is known, within bounds if it is
// not. Times that contradict what the host saw are refused.
//
//   Expected<PlacedRuns> runs = PlaceRuns(events, calls, WallOffset());
//
// An execution lies within the host's call that started it. The offset to add to the device's times is therefore
// bounded: below by the offset that puts an event at the start of its call, above by the one that puts it at the end,
// over all events together. If the trace uses the wall clock (its events are later than the year 2000), the offset of
// the host's wall clock must lie within these bounds, and every start is exact. For any other clock, a start is known
// to within the width of the bounds. Durations are the device's own in both cases.
#ifndef OPBYOP_DEVICE_PJRT_DEVICE_CLOCK_H_
#define OPBYOP_DEVICE_PJRT_DEVICE_CLOCK_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "support/expected.h"
#include "support/xspace/executions.h"

namespace opbyop::pjrt {

using xspace::DeviceEvent;

// The time from before the call until it was known to be done, on CLOCK_MONOTONIC.
struct HostCall {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

// Runs in the order of the calls.
struct PlacedRuns {
  std::vector<int64_t> starts_ns;  // on CLOCK_MONOTONIC, the earliest possible
  std::vector<double> microseconds;
  int64_t slack_ns = 0;  // how much later each may have started; 0: exact
};

// The number to add to CLOCK_REALTIME to get CLOCK_MONOTONIC, to within a microsecond. Returns nullopt if it cannot be
// determined.
std::optional<int64_t> WallOffset();

// `wall` is nullopt if the wall clock was set in the meantime. Returns kBadInput, with the reason, if the numbers of
// events and calls differ, or if no offset puts each event within its own call.
Expected<PlacedRuns> PlaceRuns(std::span<const DeviceEvent> events, std::span<const HostCall> calls,
                               std::optional<int64_t> wall);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_DEVICE_CLOCK_H_
