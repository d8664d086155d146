// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/permit.h"

#include <gtest/gtest.h>

namespace opbyop::harness {
namespace {

TEST(PermitTest, NoMorePermitsAreHeldThanExist) {
  std::counting_semaphore<> permits(2);
  Permit first(&permits), second(&permits), third(&permits);
  EXPECT_TRUE(first.TryAcquire());
  EXPECT_TRUE(second.TryAcquire());
  EXPECT_FALSE(third.TryAcquire());
  first.Release();
  EXPECT_TRUE(third.TryAcquire());
}

TEST(PermitTest, AcquiringTwiceHoldsOne) {
  std::counting_semaphore<> permits(1);
  {
    Permit permit(&permits);
    permit.Acquire();
    permit.Acquire();
    EXPECT_EQ(permit.waited_ms(), 0);
  }
  EXPECT_TRUE(permits.try_acquire());
  EXPECT_FALSE(permits.try_acquire());
}

TEST(PermitTest, WithoutLimitEveryPermitIsFree) {
  Permit first(nullptr), second(nullptr);
  EXPECT_TRUE(first.TryAcquire());
  EXPECT_TRUE(second.TryAcquire());
}

}  // namespace
}  // namespace opbyop::harness
