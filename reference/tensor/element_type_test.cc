// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/element_type.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "llvm/ADT/APFloat.h"

namespace opbyop::reference {
namespace {

struct Pair {
  ElementType type;
  const llvm::fltSemantics& semantics;
};

std::vector<Pair> NarrowFormats() {
  using F = llvm::APFloat;
  return {{ElementType::kF16, F::IEEEhalf()},
          {ElementType::kBf16, F::BFloat()},
          {ElementType::kF8E5M2, F::Float8E5M2()},
          {ElementType::kF8E4M3, F::Float8E4M3()},
          {ElementType::kF8E4M3Fn, F::Float8E4M3FN()},
          {ElementType::kF8E3M4, F::Float8E3M4()},
          {ElementType::kF8E4M3Fnuz, F::Float8E4M3FNUZ()},
          {ElementType::kF8E5M2Fnuz, F::Float8E5M2FNUZ()},
          {ElementType::kF8E4M3B11Fnuz, F::Float8E4M3B11FNUZ()},
          {ElementType::kF6E2M3Fn, F::Float6E2M3FN()},
          {ElementType::kF6E3M2Fn, F::Float6E3M2FN()},
          {ElementType::kF4E2M1Fn, F::Float4E2M1FN()}};
}

double Wide(llvm::APFloat v) {
  bool lost = false;
  v.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return v.convertToDouble();
}

TEST(ElementTypeTest, EveryCodeDecodesAsLlvmReadsItAndEncodesBack) {
  for (const Pair& pair : NarrowFormats()) {
    const FloatFormat& format = FormatOf(pair.type);
    for (uint64_t code = 0; code < (uint64_t{1} << format.bits); ++code) {
      const double want = Wide(llvm::APFloat(pair.semantics, llvm::APInt(static_cast<unsigned>(format.bits), code)));
      const double got = DecodeFloat(format, code);
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(got)) << NameOf(pair.type) << " " << code;
        continue;
      }
      ASSERT_EQ(std::bit_cast<uint64_t>(got), std::bit_cast<uint64_t>(want)) << NameOf(pair.type) << " " << code;
      EXPECT_EQ(EncodeFloat(format, got), code) << NameOf(pair.type);
    }
  }
}

TEST(ElementTypeTest, RoundingAgreesWithLlvmOnNumbersTiesAndOverflow) {
  for (const Pair& pair : NarrowFormats()) {
    const FloatFormat& format = FormatOf(pair.type);
    uint64_t state = 7;
    for (int i = 0; i < 20000; ++i) {
      state = state * 6364136223846793005 + 1442695040888963407;
      const int exponent = static_cast<int>(state >> 59) - 20;
      // Few low bits: many exact ties.
      const double v = std::ldexp(static_cast<double>(static_cast<int64_t>(state >> 20) % 4096), exponent - 8);
      llvm::APFloat rounded(v);
      bool lost = false;
      rounded.convert(pair.semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
      const double want = Wide(rounded);
      const double got = RoundTo(format, v);
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(got)) << NameOf(pair.type) << " " << v;
      } else {
        ASSERT_EQ(got, want) << NameOf(pair.type) << " " << v;
      }
    }
  }
}

TEST(ElementTypeTest, UlpIsTheDistanceToTheNeighbour) {
  const FloatFormat& f32 = FormatOf(ElementType::kF32);
  EXPECT_EQ(f32.Ulp(1), 0x1p-23);
  EXPECT_EQ(f32.Ulp(1.999), 0x1p-23);
  EXPECT_EQ(f32.Ulp(0), 0x1p-149);
  EXPECT_EQ(f32.UnitRoundoff(), 0x1p-24);
}

TEST(ElementTypeTest, IntegersWrap) {
  EXPECT_EQ(WrapInteger(Info(ElementType::kI8), 200), -56);
  EXPECT_EQ(WrapInteger(Info(ElementType::kUi8), 300), 44);
  EXPECT_EQ(WrapInteger(Info(ElementType::kI4), 8), -8);
  EXPECT_EQ(MinInteger(ElementType::kI64), INT64_MIN);
  EXPECT_EQ(static_cast<uint64_t>(MaxInteger(ElementType::kUi64)), UINT64_MAX);
  EXPECT_EQ(MaxInteger(ElementType::kUi2), 3);
}

TEST(ElementTypeTest, NamesReadBack) {
  for (const char* name : {"i1", "ui4", "f32", "bf16", "f8E4M3FN", "f4E2M1FN", "complex<f64>"}) {
    ASSERT_TRUE(ParseElementType(name).has_value()) << name;
    EXPECT_EQ(NameOf(*ParseElementType(name)), name);
  }
  EXPECT_FALSE(ParseElementType("!quant.uniform<i8:f32, 0.1>").has_value());
}

}  // namespace
}  // namespace opbyop::reference
