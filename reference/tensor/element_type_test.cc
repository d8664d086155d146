// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/element_type.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "llvm/ADT/APFloat.h"
#include "reference/tensor/special_values.h"

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
      // Numbers with few low bits give many exact ties.
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

// Numbers of each kind and near each boundary, in an order in which whole blocks are ordinary and others are not.
std::vector<double> NumbersOfEveryKind(const FloatFormat& format) {
  std::vector<double> values;
  for (int i = 0; i < 3000; ++i) values.push_back(std::sin(i) * 3);
  for (int e = -160; e <= 160; ++e) {
    for (const double m : {1.0, 1.5, 1.9999, 1 + 0x1p-30, 1 - 0x1p-30}) {
      values.push_back(std::ldexp(m, e));
      values.push_back(-std::ldexp(m, e));
    }
  }
  for (const double v : {0.0, -0.0, kInf, -kInf, kNan, format.max_finite, std::nextafter(format.max_finite, kInf),
                         format.max_finite * 1.0625, -format.max_finite * 2}) {
    values.insert(values.end(), {v, 1.0, v});
  }
  values.push_back(std::bit_cast<double>(0xFFFFFFFFC0000000));  // the f32 NaN of all digits
  for (int i = 0; i < 2000; ++i) values.push_back(0);
  return values;
}

TEST(ElementTypeTest, SpansAreRoundedAndEncodedAsTheirElements) {
  for (const ElementType type :
       {ElementType::kF32, ElementType::kF16, ElementType::kBf16, ElementType::kF8E5M2, ElementType::kF8E4M3Fn,
        ElementType::kF8E4M3Fnuz, ElementType::kF8E8M0Fnu, ElementType::kF4E2M1Fn}) {
    const FloatFormat& format = FormatOf(type);
    const std::vector<double> values = NumbersOfEveryKind(format);
    std::vector<double> rounded = values;
    RoundSpan(format, rounded);
    const size_t bytes = static_cast<size_t>(format.bits + 7) / 8;
    std::vector<std::byte> codes(values.size() * bytes);
    EncodeSpan(format, rounded, codes.data());
    for (size_t i = 0; i < values.size(); ++i) {
      const double want = RoundTo(format, values[i]);
      ASSERT_EQ(std::bit_cast<uint64_t>(rounded[i]), std::bit_cast<uint64_t>(want)) << NameOf(type) << " " << values[i];
      const uint64_t code = EncodeFloat(format, want);
      ASSERT_EQ(std::memcmp(&code, codes.data() + i * bytes, bytes), 0) << NameOf(type) << " " << values[i];
    }
  }
}

TEST(ElementTypeTest, SpansAreRoundedTowardZeroWhereThatIsOn) {
  const RoundingTowardZero on(true);
  std::vector<double> values = {1.999, -1.999};
  RoundSpan(FormatOf(ElementType::kBf16), values);
  EXPECT_EQ(values, (std::vector{0x1.FEp0, -0x1.FEp0}));
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
