// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/device_span.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace opbyop::device {

size_t DeviceLog::AddRuns(const std::vector<int64_t>& starts_ns, const std::vector<double>& microseconds,
                          const RunClock& clock) {
  if (starts_ns.empty()) return 0;
  const auto add = [&](std::string_view kind, int64_t index, int64_t start_ns, int64_t dur_ns) {
    spans.push_back({.kind = std::string(kind),
                     .index = index,
                     .start_ns = start_ns,
                     .dur_ns = dur_ns,
                     .device_clock = clock.device,
                     .slack_ns = clock.slack_ns});
  };
  const auto ns = [&](size_t run) { return std::llround(microseconds[run] * 1e3); };
  if (starts_ns.size() > 1) {
    const int64_t begin = starts_ns.front();
    add("repeats", 0, begin, starts_ns.back() + ns(starts_ns.size() - 1) - begin);
  }
  std::vector<size_t> order(starts_ns.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto median = order.begin() + static_cast<std::ptrdiff_t>((order.size() - 1) / 2);
  std::ranges::nth_element(order, median, {}, [&](size_t run) { return std::pair(microseconds[run], run); });
  add("execute", static_cast<int64_t>(*median), starts_ns[*median], ns(*median));
  longest_ns = std::llround(std::ranges::max(microseconds) * 1e3);
  return *median;
}

}  // namespace opbyop::device
