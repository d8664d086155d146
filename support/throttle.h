// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Limits an action to at most once per interval.
//
//   Throttle throttle(std::chrono::milliseconds(100));
//   if (throttle.due()) { ...; throttle.Restart(); }
#ifndef OPBYOP_SUPPORT_THROTTLE_H_
#define OPBYOP_SUPPORT_THROTTLE_H_

#include <chrono>

namespace opbyop {

class Throttle {
 public:
  using Clock = std::chrono::steady_clock;

  // The first action is due at once.
  explicit Throttle(Clock::duration interval) : interval_(interval) {}

  bool due() const { return Clock::now() >= next_; }

  // Call it after the action: the next one is due after the interval.
  void Restart() { next_ = Clock::now() + interval_; }

 private:
  Clock::duration interval_;
  Clock::time_point next_ = Clock::time_point::min();
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_THROTTLE_H_
