// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a device's own clock measured, brought to CLOCK_MONOTONIC: exact where that is known, bounded where it is not,
// refused where it contradicts what the host saw.
//
//   Expected<PlacedRuns> runs = PlaceRuns(events, calls, WallOffset());
//
// An execution lies within the call that made it. So what must be added to the device's time lies between what puts an
// event at the beginning of its call and what puts one at its end, for all events at once. If the trace is of the wall
// clock (its events are later than the year 2000), the offset of the host's must lie in between, and every start is
// exact. If it counts from anything else, a start is known as well as that interval is narrow. Durations are the
// device's own in both cases.
#ifndef OPBYOP_DEVICE_PJRT_DEVICE_CLOCK_H_
#define OPBYOP_DEVICE_PJRT_DEVICE_CLOCK_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "device/pjrt/xspace.h"
#include "support/expected.h"

namespace opbyop::pjrt {

// From before the call to when it was known to be done, on CLOCK_MONOTONIC.
struct HostCall {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

// In the order of the calls.
struct PlacedRuns {
  std::vector<int64_t> starts_ns;  // on CLOCK_MONOTONIC, at the earliest
  std::vector<double> microseconds;
  int64_t slack_ns = 0;  // how much later each may have begun; 0: exact
};

// What to add to CLOCK_REALTIME to have CLOCK_MONOTONIC, to within a microsecond; nullopt where that cannot be told.
std::optional<int64_t> WallOffset();

// `wall` is nullopt where the wall clock was set meanwhile. kBadInput, with the reason, where
// there are not as many events as calls, or no offset puts each within its own.
Expected<PlacedRuns> PlaceRuns(std::span<const DeviceEvent> events, std::span<const HostCall> calls,
                               std::optional<int64_t> wall);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_DEVICE_CLOCK_H_
