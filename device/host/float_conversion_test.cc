// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/float_conversion.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

namespace opbyop::host {
namespace {

template <typename From>
uint16_t Truncate(std::string_view symbol, From value) {
  for (const FloatConversion& conversion : FloatConversions()) {
    if (conversion.symbol != symbol) continue;
    const auto function = reinterpret_cast<float (*)(From)>(conversion.function);
    return static_cast<uint16_t>(std::bit_cast<uint32_t>(function(value)));
  }
  ADD_FAILURE() << symbol << " is missing";
  return 0;
}

TEST(FloatConversion, RoundsToNearestEvenBfloat16) {
  EXPECT_EQ(Truncate("__truncsfbf2", 1.0f), 0x3f80);
  EXPECT_EQ(Truncate("__truncsfbf2", -2.5f), 0xc020);
  EXPECT_EQ(Truncate("__truncsfbf2", std::bit_cast<float>(0x3f808000u)), 0x3f80);  // a tie: down to even
  EXPECT_EQ(Truncate("__truncsfbf2", std::bit_cast<float>(0x3f818000u)), 0x3f82);  // a tie: up to even
  EXPECT_EQ(Truncate("__truncsfbf2", std::numeric_limits<float>::max()), 0x7f80);
}

TEST(FloatConversion, RoundsDoublesOnce) {
  // Just above a tie; rounding to float first would give the tie and then round down.
  EXPECT_EQ(Truncate("__truncdfbf2", 1.0 + 0x1p-8 + 0x1p-40), 0x3f81);
  EXPECT_EQ(Truncate("__truncdfhf2", 1.0 + 0x1p-11 + 0x1p-40), 0x3c01);
}

TEST(FloatConversion, KeepsSubnormalsInfinitiesAndNan) {
  EXPECT_EQ(Truncate("__truncdfhf2", 0x1p-24), 0x0001);
  EXPECT_EQ(Truncate("__truncdfhf2", 0x1p-25), 0x0000);
  EXPECT_EQ(Truncate("__truncdfhf2", 65520.0), 0x7c00);
  EXPECT_EQ(Truncate("__truncdfhf2", 65519.0), 0x7bff);
  EXPECT_EQ(Truncate("__truncdfhf2", -std::numeric_limits<double>::infinity()), 0xfc00);
  EXPECT_EQ(Truncate("__truncdfbf2", -0.0), 0x8000);
  EXPECT_EQ(Truncate("__truncdfbf2", std::nan("")) & 0x7fc0, 0x7fc0);
}

TEST(FloatConversion, ExtendsHalvesExactly) {
  const auto extend = [](uint16_t bits) {
    for (const FloatConversion& conversion : FloatConversions()) {
      if (std::string_view(conversion.symbol) != "__extendhfsf2") continue;
      return reinterpret_cast<float (*)(float)>(conversion.function)(std::bit_cast<float>(uint32_t{bits}));
    }
    return 0.0f;
  };
  EXPECT_EQ(extend(0x3c00), 1.0f);
  EXPECT_EQ(extend(0xc100), -2.5f);
  EXPECT_EQ(extend(0x0001), 0x1p-24f);
  EXPECT_EQ(extend(0x7bff), 65504.0f);
  EXPECT_TRUE(std::isinf(extend(0x7c00)));
}

}  // namespace
}  // namespace opbyop::host
