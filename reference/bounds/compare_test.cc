// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/bounds/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "reference/bounds/bound.h"

namespace opbyop::reference {
namespace {

Tensor LineOfF32(const std::vector<double>& values) {
  return Tensor::Of<double>(ElementType::kF32, {static_cast<int64_t>(values.size())}, values);
}

Comparison Compare(const Tensor& expected, const Tensor& got, CompareOptions options = {}) {
  return CompareOutput(0, expected, TensorToBytes(got), options).value();
}

TEST(CompareTest, EqualTensorsAreAcceptedWithPerfectMetrics) {
  const Comparison c = Compare(LineOfF32({1, -2, 3}), LineOfF32({1, -2, 3}));
  EXPECT_TRUE(c.accepted);
  EXPECT_EQ(c.max_abs, 0);
  EXPECT_DOUBLE_EQ(c.pcc, 1);
  EXPECT_DOUBLE_EQ(c.cosine, 1);
  EXPECT_EQ(c.rule, "bit-exact");
  EXPECT_FALSE(c.constant);
}

// The sums of these overflow, and those of others round.
TEST(CompareTest, EqualNumbersHaveExactlyACorrelationOfOne) {
  for (const std::vector<double>& values :
       {std::vector<double>{1e300, -1e300, 3}, std::vector<double>{0.1, 0.7, 1.3}}) {
    const Tensor numbers = Tensor::Of<double>(ElementType::kF64, {3}, values);
    const Comparison c = Compare(numbers, numbers);
    EXPECT_EQ(c.pcc, 1);
    EXPECT_EQ(c.cosine, 1);
    EXPECT_EQ(c.rmse, 0);
  }
}

TEST(CompareTest, MetricsOfARefusedOutputAreThoseOfAllElements) {
  constexpr size_t kElements = 10000;  // several blocks, of which all but one are equal
  std::vector<double> values(kElements);
  for (size_t i = 0; i < kElements; ++i) values[i] = static_cast<double>(i % 2);
  std::vector<double> other = values;
  other[kElements / 2] += 1;
  const Comparison c = Compare(LineOfF32(values), LineOfF32(other));
  EXPECT_EQ(c.mismatches, 1);
  EXPECT_DOUBLE_EQ(c.rmse, 0.01);
  EXPECT_NEAR(c.pcc, 0.9998, 1e-4);
}

TEST(CompareTest, AnOutputInStoredFormIsComparedAsItsValuesAre) {
  const std::vector<double> values = {1, -0.0, std::numeric_limits<double>::quiet_NaN(), 4};
  const Tensor plain = LineOfF32(values);
  const std::vector<std::byte> bytes = TensorToBytes(plain);
  Buffer buffer(bytes.size());
  std::ranges::copy(bytes, buffer.data());
  const Tensor stored = Tensor::OfStored(ElementType::kF32, {4}, std::move(buffer));
  for (const std::vector<double>& got : {values, std::vector<double>{1, 0, 3, 4}}) {
    const Comparison of_stored = Compare(stored, LineOfF32(got)), of_plain = Compare(plain, LineOfF32(got));
    EXPECT_EQ(of_stored.accepted, of_plain.accepted);
    EXPECT_EQ(of_stored.mismatches, of_plain.mismatches);
    EXPECT_EQ(of_stored.nan_mismatches, of_plain.nan_mismatches);
    EXPECT_EQ(of_stored.pcc, of_plain.pcc);
  }
}

TEST(CompareTest, WithoutABoundOneUlpFails) {
  const Comparison c = Compare(LineOfF32({1, 2}), LineOfF32({1, std::nextafterf(2, 3)}));
  EXPECT_FALSE(c.accepted);
  EXPECT_EQ(c.mismatches, 1);
  EXPECT_EQ(c.max_ulp, 1);
  EXPECT_TRUE(std::isinf(c.bound_ratio));
  ASSERT_EQ(c.worst.size(), 1u);
  EXPECT_EQ(c.worst[0].index, std::vector<int64_t>{1});
}

TEST(CompareTest, AnElementWithinItsBoundPasses) {
  Tensor expected = LineOfF32({1, 2});
  auto bound = MakeBound(2, "test", 1);
  MutableSpan(*bound)[0] = 0.5;
  MutableSpan(*bound)[1] = 0.25;
  expected.set_bound(bound);
  const Comparison good = Compare(expected, LineOfF32({1.25, 2.25}));
  EXPECT_TRUE(good.accepted);
  EXPECT_DOUBLE_EQ(good.bound_ratio, 1);
  const Comparison bad = Compare(expected, LineOfF32({1.25, 2.5}));
  EXPECT_FALSE(bad.accepted);
  EXPECT_DOUBLE_EQ(bad.bound_ratio, 2);
  const Comparison relaxed = Compare(expected, LineOfF32({1.25, 2.5}), {.factor = 2, .reason = "table lookup"});
  EXPECT_TRUE(relaxed.accepted);
  EXPECT_EQ(relaxed.relaxed, "table lookup");
}

TEST(CompareTest, ElementsWithoutABoundAreCounted) {
  Tensor expected = LineOfF32({1, 2, 3});
  auto bound = MakeBound(3, "test", 1);
  MutableSpan(*bound)[1] = std::numeric_limits<double>::infinity();
  expected.set_bound(bound);
  const Comparison c = Compare(expected, LineOfF32({1, 7, 3}));
  EXPECT_TRUE(c.accepted);
  EXPECT_EQ(c.unbounded, 1);
  EXPECT_EQ(Compare(LineOfF32({1, 2, 3}), LineOfF32({1, 2, 3})).unbounded, 0);
}

TEST(CompareTest, NanAndInfinityMustAgree) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(Compare(LineOfF32({nan, inf}), LineOfF32({nan, inf})).accepted);
  const Comparison lost = Compare(LineOfF32({nan, 1}), LineOfF32({0, 1}));
  EXPECT_FALSE(lost.accepted);
  EXPECT_EQ(lost.nan_mismatches, 1);
  EXPECT_EQ(Compare(LineOfF32({inf, 1}), LineOfF32({-inf, 1})).inf_mismatches, 1);
}

// Only what is stored in 8 bits or fewer may saturate: a sum of f32 with an infinity is infinite.
TEST(CompareTest, AnInfinityOfAWideTypeIsNotTheGreatestNumber) {
  for (const auto& [type, saturates] : {std::pair(ElementType::kF32, false),
                                        {ElementType::kBf16, false},
                                        {ElementType::kF16, false},
                                        {ElementType::kF8E5M2, true}}) {
    Tensor expected = Tensor::Of<double>(type, {1}, {std::numeric_limits<double>::infinity()});
    auto bound = MakeBound(1, "sum", 1);
    MutableSpan(*bound)[0] = 1;
    expected.set_bound(bound);
    const Tensor greatest = Tensor::Of<double>(type, {1}, {FormatOf(type).max_finite});
    EXPECT_EQ(Compare(expected, greatest).accepted, saturates) << NameOf(type);
    EXPECT_EQ(RatioIfAccepted(expected, TensorToBytes(greatest)).has_value(), saturates) << NameOf(type);
  }
}

TEST(CompareTest, BitExactMeansTheSignOfZeroToo) {
  EXPECT_FALSE(Compare(LineOfF32({-0.0}), LineOfF32({0.0})).accepted);
}

TEST(CompareTest, ConstantOutputIsFlagged) {
  EXPECT_TRUE(Compare(LineOfF32({1, 2, 3}), LineOfF32({7, 7, 7})).constant);
  EXPECT_FALSE(Compare(LineOfF32({1}), LineOfF32({1})).constant);
}

TEST(CompareTest, AWrongSizeIsAnError) {
  const std::vector<std::byte> bytes(7);
  EXPECT_FALSE(CompareOutput(0, LineOfF32({1, 2}), bytes).has_value());
}

TEST(CompareTest, KeepsTheFiveWorst) {
  std::vector<double> want(100, 1);
  std::vector<double> got(100, 1);
  for (size_t i = 0; i < 20; ++i) got[i] = 1 + static_cast<double>(i + 1) * 0.25;
  const Comparison c = Compare(LineOfF32(want), LineOfF32(got));
  ASSERT_EQ(c.worst.size(), 5u);
  EXPECT_EQ(c.worst[0].index[0], 19);
  EXPECT_EQ(c.worst[4].index[0], 15);
  EXPECT_EQ(c.mismatches, 20);
}

TEST(CompareTest, TheWorsePartOfAComplexElementCounts) {
  const auto complex = [](const std::vector<Complex>& v) {
    return Tensor::Of<Complex>(ElementType::kC64, {static_cast<int64_t>(v.size())}, v);
  };
  Tensor expected = complex({{1, 1}, {2, 2}});
  auto bound = MakeBound(2, "test", 1);
  std::ranges::fill(MutableSpan(*bound), 0.5);
  expected.set_bound(bound);
  const Comparison c = Compare(expected, complex({{3, 1.25}, {2, 2.25}}));
  ASSERT_EQ(c.worst.size(), 2u);
  EXPECT_EQ(c.worst[0].index[0], 0);
  EXPECT_EQ(c.worst[0].bound_ratio, 4);
  EXPECT_EQ(c.worst[1].bound_ratio, 0.5);
}

// RatioIfAccepted judges every pair of ordinary and special numbers, with every kind of bound, as CompareOutput does.
TEST(CompareTest, RatioIfAcceptedJudgesAsTheWholeComparison) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::vector<double> numbers = {0.0, -0.0, 1, 1.25, -1, kInf, -kInf, std::nan(""), 0x1.FFFFFEp127, 0x1p-149};
  const std::vector<double> limits = {0, 0.25, 0.3, 3, kInf, 0x1p110};
  int accepted = 0;
  int refused = 0;
  const auto check = [&](const Tensor& want, const Tensor& got) {
    const Comparison whole = Compare(want, got);
    const std::optional<double> ratio = RatioIfAccepted(want, TensorToBytes(got));
    ASSERT_EQ(ratio.has_value(), whole.accepted) << ElementText(want, 0) << " " << ElementText(got, 0);
    if (ratio) EXPECT_EQ(*ratio, whole.bound_ratio);
    ++(whole.accepted ? accepted : refused);
  };
  for (const size_t size : {1, 3, 4, 9}) {
    for (const double a : numbers) {
      for (const double b : numbers) {
        std::vector<double> w(size, 1.0);
        std::vector<double> g(size, 1.0);
        w[size / 2] = a;
        g[size / 2] = b;
        Tensor want = LineOfF32(w);
        check(want, LineOfF32(g));
        for (const double limit : limits) {
          auto bound = MakeBound(static_cast<int64_t>(size), "test", 1);
          std::ranges::fill(MutableSpan(*bound), limit);
          for (const bool free : {false, true}) {
            bound->zero_sign_free = free;
            want.set_bound(bound);
            check(want, LineOfF32(g));
          }
        }
      }
    }
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 500);
}

// ErrorsIfAccepted gives the same errors as CompareOutput. It leaves an infinity in place of a number to CompareOutput.
TEST(CompareTest, ErrorsIfAcceptedAreThoseOfTheWholeComparison) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::vector<double> numbers = {0.0, -0.0, 1, 1.25, -1, kInf, -kInf, std::nan(""), 0x1.FFFFFEp127, 0x1p-149};
  int accepted = 0, refused = 0;
  const auto check = [&](const Tensor& want, const Tensor& got, bool one_infinite) {
    const Comparison whole = Compare(want, got);
    const std::optional<WorstErrors> errors = ErrorsIfAccepted(want, TensorToBytes(got));
    if (!one_infinite || !whole.accepted || errors) {
      ASSERT_EQ(errors.has_value(), whole.accepted) << ElementText(want, 0) << " " << ElementText(got, 0);
    }
    ++(errors ? accepted : refused);
    if (!errors) return;
    EXPECT_EQ(errors->unbounded, whole.unbounded);
    if (whole.unbounded > 0) return;
    EXPECT_EQ(errors->ulp, whole.max_ulp);
    EXPECT_EQ(errors->abs, whole.max_abs);
    EXPECT_EQ(errors->rel, whole.max_rel);
    EXPECT_EQ(errors->bound_ratio, whole.bound_ratio);
  };
  for (const double a : numbers) {
    for (const double b : numbers) {
      const bool one_infinite = std::isinf(a) != std::isinf(b);
      Tensor want = LineOfF32({1, a});
      check(want, LineOfF32({1, b}), one_infinite);
      for (const double limit : {0.0, 0.25, 3.0, 0x1p110, kInf}) {
        for (const bool free : {false, true}) {
          auto bound = MakeBound(2, "test", 1);
          std::ranges::fill(MutableSpan(*bound), limit);
          bound->zero_sign_free = free;
          want.set_bound(bound);
          check(want, LineOfF32({1, b}), one_infinite);
        }
      }
    }
  }
  EXPECT_GT(accepted, 200);
  EXPECT_GT(refused, 200);
}

TEST(CompareTest, ErrorsIfAcceptedRefusesForeignBooleansOtherIntegersAndOtherSizes) {
  const Tensor yes = Tensor::Splat<uint8_t>(ElementType::kI1, {2}, 1);
  const std::vector<std::byte> right(2, std::byte{1});
  const std::vector<std::byte> foreign = {std::byte{1}, std::byte{3}};
  EXPECT_TRUE(ErrorsIfAccepted(yes, right));
  EXPECT_FALSE(ErrorsIfAccepted(yes, foreign));
  EXPECT_FALSE(ErrorsIfAccepted(yes, std::span(right).first(1)));
  const Tensor ints = Tensor::Of<int64_t>(ElementType::kI32, {2}, {1, 2});
  EXPECT_TRUE(ErrorsIfAccepted(ints, TensorToBytes(ints)));
  EXPECT_FALSE(ErrorsIfAccepted(ints, TensorToBytes(Tensor::Of<int64_t>(ElementType::kI32, {2}, {1, 3}))));
}

TEST(CompareTest, RatioIfAcceptedRefusesForeignBooleansAndOtherSizes) {
  const Tensor yes = Tensor::Splat<uint8_t>(ElementType::kI1, {2}, 1);
  const std::vector<std::byte> right(2, std::byte{1});
  const std::vector<std::byte> foreign = {std::byte{1}, std::byte{3}};
  EXPECT_EQ(RatioIfAccepted(yes, right), 0.0);
  EXPECT_EQ(RatioIfAccepted(yes, foreign), std::nullopt);
  EXPECT_EQ(RatioIfAccepted(yes, std::span(right).first(1)), std::nullopt);
}

TEST(CompareTest, RatioIfAcceptedJudgesIntegersAndComplexNumbers) {
  const Tensor ints = Tensor::Of<int64_t>(ElementType::kI32, {3}, {1, 2, 3});
  EXPECT_EQ(RatioIfAccepted(ints, TensorToBytes(ints)), 0.0);
  EXPECT_EQ(RatioIfAccepted(ints, TensorToBytes(Tensor::Of<int64_t>(ElementType::kI32, {3}, {1, 2, 4}))), std::nullopt);
  Tensor complex = Tensor::Of<Complex>(ElementType::kC64, {1}, {Complex(1, 2)});
  auto bound = MakeBound(1, "test", 1);
  MutableSpan(*bound)[0] = 0.5;
  complex.set_bound(bound);
  const Tensor near = Tensor::Of<Complex>(ElementType::kC64, {1}, {Complex(1, 2.25)});
  const Tensor far = Tensor::Of<Complex>(ElementType::kC64, {1}, {Complex(1, 2.75)});
  EXPECT_EQ(RatioIfAccepted(complex, TensorToBytes(near)), 0.5);
  EXPECT_EQ(RatioIfAccepted(complex, TensorToBytes(far)), std::nullopt);
}

// Booleans are counted by block; the sums are those of adding one after the other.
TEST(CompareTest, MomentsOfBooleansAreThoseOfTheirNumbers) {
  for (const bool first_x : {false, true}) {
    for (const bool first_y : {false, true}) {
      const std::vector<bool> xs = {first_x, true, false, true, true, false, true};
      const std::vector<bool> ys = {first_y, true, true, true, false, false, true};
      Moments one_by_one, counted;
      int64_t x = 0, y = 0, both = 0;
      for (size_t i = 0; i < xs.size(); ++i) {
        one_by_one.Add(xs[i] ? 1 : 0, ys[i] ? 1 : 0);
        x += xs[i];
        y += ys[i];
        both += xs[i] && ys[i];
      }
      counted.AddBooleans(static_cast<int64_t>(xs.size()), x, y, both, first_x, first_y);
      EXPECT_EQ(counted.Pcc(), one_by_one.Pcc()) << first_x << first_y;
      EXPECT_EQ(counted.Cosine(), one_by_one.Cosine());
      EXPECT_EQ(counted.Rmse(), one_by_one.Rmse());
    }
  }
}

TEST(CompareTest, AZeroThatIsTakenFromAnotherResultKeepsTheSignThatIsFreeThere) {
  const Tensor plain = Tensor::Of<double>(ElementType::kF32, {1}, std::vector<double>{1});
  Tensor other = Tensor::Of<double>(ElementType::kF32, {1}, std::vector<double>{-0.0});
  auto bound = std::make_shared<Bound>();
  bound->zero_sign_free = true;
  other.set_bound(std::move(bound));
  const std::vector<std::byte> got = TensorToBytes(Tensor::Of<double>(ElementType::kF32, {1}, std::vector<double>{0}));
  int64_t taken = 0;
  const Tensor merged = TakeWhereRefused(plain, other, got, taken);
  EXPECT_EQ(taken, 1);
  EXPECT_TRUE(CompareOutput(0, merged, got).value().accepted);
}

}  // namespace
}  // namespace opbyop::reference
