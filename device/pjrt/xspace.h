// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The executions of programs that a device's own clock measured, out of the trace of a profiler (an XSpace).
//
//   Expected<std::vector<DeviceEvent>> events = ReadExecutions(bytes);
//
// A device is a plane `/device:KIND:N`; its line `XLA Modules` has one event for each execution of a program. Other
// lines are of single instructions or of one vendor's own making, and tell of no execution without guessing. Whatever
// the bytes are, they are read or refused.
#ifndef OPBYOP_DEVICE_PJRT_XSPACE_H_
#define OPBYOP_DEVICE_PJRT_XSPACE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop::pjrt {

struct DeviceEvent {
  int64_t start_ns = 0;  // since whatever the trace counts from
  int64_t duration_ps = 0;

  friend bool operator==(const DeviceEvent&, const DeviceEvent&) = default;
};

// By start. Empty where no device executed anything; kBadInput where the bytes are no XSpace, more than one device did,
// or an event has no time.
Expected<std::vector<DeviceEvent>> ReadExecutions(std::string_view bytes);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_XSPACE_H_
