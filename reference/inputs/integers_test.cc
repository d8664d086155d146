// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/integers.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace opbyop::reference {
namespace {

std::vector<int32_t> Stored(const Integers& integers, int64_t first, int64_t count) {
  std::vector<int32_t> values(static_cast<size_t>(count));
  integers.Store(first, count, reinterpret_cast<std::byte*>(values.data()));
  return values;
}

// Results name their inputs by seed, so how a number follows from its bits must never change.
TEST(IntegersTest, NumbersAreThoseOfTheStream) {
  const CounterStream stream(7);
  const InputRole role;
  const Integers integers(ElementType::kI32, role, InputKind::kDomain, stream, 5000);
  const std::vector<int32_t> values = Stored(integers, 1234, 3000);
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], -100 + static_cast<int32_t>(stream.Below(1234 + i, 201))) << i;
  }
}

TEST(IntegersTest, AWideRangeIsDrawnAlike) {
  const CounterStream stream(8);
  InputRole role;
  role.ranged = true;
  role.low = -0x1p29;
  role.high = 0x1p29;
  const Integers integers(ElementType::kI32, role, InputKind::kDomain, stream, 5000);
  const std::vector<int32_t> values = Stored(integers, 0, 5000);
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], -(1 << 29) + static_cast<int64_t>(stream.Below(i, (1 << 30) + 1))) << i;
  }
}

TEST(IntegersTest, APartIsThatOfTheWholeUnderEveryPolicy) {
  const CounterStream stream(9);
  for (const InputKind kind : {InputKind::kDomain, InputKind::kEdge, InputKind::kExactInt}) {
    for (const double limit : {10.0, kEveryBit}) {
      InputRole role;
      role.ranged = true;
      role.low = -limit;
      role.high = limit;
      role.away = limit == 10 ? 1 : 0;
      const Integers integers(ElementType::kI32, role, kind, stream, 4000);
      const std::vector<int32_t> whole = Stored(integers, 0, 4000);
      const std::vector<int32_t> part = Stored(integers, 1500, 2000);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 1500)) << limit;
    }
  }
}

TEST(IntegersTest, BooleansAreTheFirstBitsOfTheStream) {
  const CounterStream stream(10);
  std::vector<std::byte> values(300);
  StoreBooleans(stream, false, 40, values);
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(static_cast<uint64_t>(values[i]), stream.Bits(40 + i) >> 63) << i;
  }
}

TEST(IntegersTest, WhatMustHoldIsTrue) {
  std::vector<std::byte> values(30);
  StoreBooleans(CounterStream(11), true, 0, values);
  EXPECT_EQ(values, std::vector<std::byte>(30, std::byte{1}));
}

}  // namespace
}  // namespace opbyop::reference
