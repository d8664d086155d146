// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/case_loop.h"

namespace opbyop::harness {

std::chrono::steady_clock::time_point EndAfter(double seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> wanted(seconds);
  if (wanted >= std::chrono::duration<double>(Clock::time_point::max() - now)) return Clock::time_point::max();
  return now + std::chrono::duration_cast<Clock::duration>(wanted);
}

}  // namespace opbyop::harness
