// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fuzz target: any bytes of a plugin's profiler are read or refused with a message; executions that were read are
// placed at the times of their calls, or refused. Instructions are in order of time.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "device/pjrt/device_clock.h"
#include "support/xspace/executions.h"
#include "support/xspace/instructions.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opbyop;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto instructions = xspace::ReadInstructions(bytes)) {
    if (!std::ranges::is_sorted(*instructions, {}, &xspace::InstructionEvent::start_ps)) __builtin_trap();
  } else if (instructions.error().message.empty()) {
    __builtin_trap();
  }
  const auto events = xspace::ReadExecutions(bytes);
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
