// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the executions of programs that a device's own clock measured in the trace of a profiler (an XSpace).
//
//   Expected<std::vector<DeviceEvent>> events = ReadExecutions(bytes);
//
// A device is a plane `/device:KIND:N`. Its line `XLA Modules` has one event for each execution of a program. Other
// lines describe single instructions or are specific to a vendor, so executions cannot be read from them without
// guessing. The bytes are untrusted: they are read or refused.
#ifndef OPBYOP_SUPPORT_XSPACE_EXECUTIONS_H_
#define OPBYOP_SUPPORT_XSPACE_EXECUTIONS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop::xspace {

inline constexpr int64_t kPsPerNs = 1000;

struct DeviceEvent {
  int64_t start_ns = 0;  // relative to the origin of the trace's clock
  int64_t duration_ps = 0;

  friend bool operator==(const DeviceEvent&, const DeviceEvent&) = default;
};

// Events are sorted by start. Empty if no device executed anything. Returns kBadInput if the bytes are no XSpace, if
// more than one device executed something, or if an event has no time.
Expected<std::vector<DeviceEvent>> ReadExecutions(std::string_view bytes);

}  // namespace opbyop::xspace

#endif  // OPBYOP_SUPPORT_XSPACE_EXECUTIONS_H_
