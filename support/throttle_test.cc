// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/throttle.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(ThrottleTest, IsDueAtOnceAndThenAfterAnInterval) {
  Throttle throttle(std::chrono::hours(1));
  EXPECT_TRUE(throttle.due());
  throttle.Restart();
  EXPECT_FALSE(throttle.due());
}

TEST(ThrottleTest, WithoutIntervalIsAlwaysDue) {
  Throttle throttle(std::chrono::seconds(0));
  throttle.Restart();
  EXPECT_TRUE(throttle.due());
}

}  // namespace
}  // namespace opbyop
