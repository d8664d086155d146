// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fuzz target: any bytes of a plugin's profiler are read or refused with a message; executions that were read are
// placed at the times of their calls, or refused.
#include <cstdint>
#include <string_view>

#include "device/pjrt/device_clock.h"
#include "device/pjrt/xspace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opbyop;
  const auto events = pjrt::ReadExecutions({reinterpret_cast<const char*>(data), size});
  if (!events) {
    if (events.error().message.empty()) __builtin_trap();
    return 0;
  }
  constexpr int64_t kEveryNs = 1000;
  std::vector<pjrt::HostCall> calls;
  for (size_t i = 0; i < events->size(); ++i) {
    const int64_t start_ns = static_cast<int64_t>(i) * kEveryNs;
    calls.push_back({start_ns, start_ns + kEveryNs});
  }
  const auto runs = pjrt::PlaceRuns(*events, calls, 0);
  if (!runs) {
    if (runs.error().message.empty()) __builtin_trap();
    return 0;
  }
  for (size_t i = 0; i < calls.size(); ++i) {
    if (runs->starts_ns[i] < calls[i].start_ns || runs->starts_ns[i] > calls[i].end_ns) __builtin_trap();
  }
  return 0;
}
