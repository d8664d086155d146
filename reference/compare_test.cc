#include "reference/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/bound.h"

namespace opbyop {
namespace {

Tensor F32(const std::vector<double>& values) {
  return Tensor::Of<double>(ElementType::kF32, {static_cast<int64_t>(values.size())}, values);
}

Comparison Compare(const Tensor& expected, const Tensor& got, CompareOptions options = {}) {
  return CompareOutput(0, expected, TensorToBytes(got), options).value();
}

TEST(CompareTest, EqualTensorsAreAcceptedWithPerfectMetrics) {
  const Comparison c = Compare(F32({1, -2, 3}), F32({1, -2, 3}));
  EXPECT_TRUE(c.accepted);
  EXPECT_EQ(c.max_abs, 0);
  EXPECT_DOUBLE_EQ(c.pcc, 1);
  EXPECT_DOUBLE_EQ(c.cosine, 1);
  EXPECT_EQ(c.rule, "bit-exact");
  EXPECT_FALSE(c.constant);
}

TEST(CompareTest, WithoutABoundOneUlpFails) {
  const Comparison c = Compare(F32({1, 2}), F32({1, std::nextafterf(2, 3)}));
  EXPECT_FALSE(c.accepted);
  EXPECT_EQ(c.mismatches, 1);
  EXPECT_EQ(c.max_ulp, 1);
  EXPECT_TRUE(std::isinf(c.bound_ratio));
  ASSERT_EQ(c.worst.size(), 1u);
  EXPECT_EQ(c.worst[0].index, std::vector<int64_t>{1});
}

TEST(CompareTest, WithinItsBoundAnElementPasses) {
  Tensor expected = F32({1, 2});
  auto bound = MakeBound(2, "test", 1);
  MutableSpan(*bound)[0] = 0.5;
  MutableSpan(*bound)[1] = 0.25;
  expected.set_bound(bound);
  const Comparison good = Compare(expected, F32({1.25, 2.25}));
  EXPECT_TRUE(good.accepted);
  EXPECT_DOUBLE_EQ(good.bound_ratio, 1);
  const Comparison bad = Compare(expected, F32({1.25, 2.5}));
  EXPECT_FALSE(bad.accepted);
  EXPECT_DOUBLE_EQ(bad.bound_ratio, 2);
  const Comparison relaxed = Compare(expected, F32({1.25, 2.5}), {.factor = 2, .reason = "table lookup"});
  EXPECT_TRUE(relaxed.accepted);
  EXPECT_EQ(relaxed.relaxed, "table lookup");
}

TEST(CompareTest, NanAndInfinityMustAgree) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(Compare(F32({nan, inf}), F32({nan, inf})).accepted);
  const Comparison lost = Compare(F32({nan, 1}), F32({0, 1}));
  EXPECT_FALSE(lost.accepted);
  EXPECT_EQ(lost.nan_mismatches, 1);
  EXPECT_EQ(Compare(F32({inf, 1}), F32({-inf, 1})).inf_mismatches, 1);
}

TEST(CompareTest, BitExactMeansTheSignOfZeroToo) { EXPECT_FALSE(Compare(F32({-0.0}), F32({0.0})).accepted); }

TEST(CompareTest, ConstantOutputIsFlagged) {
  EXPECT_TRUE(Compare(F32({1, 2, 3}), F32({7, 7, 7})).constant);
  EXPECT_FALSE(Compare(F32({1}), F32({1})).constant);
}

TEST(CompareTest, AWrongSizeIsAnError) {
  const std::vector<std::byte> bytes(7);
  EXPECT_FALSE(CompareOutput(0, F32({1, 2}), bytes).has_value());
}

TEST(CompareTest, KeepsTheFiveWorst) {
  std::vector<double> want(100, 1);
  std::vector<double> got(100, 1);
  for (size_t i = 0; i < 20; ++i) got[i] = 1 + static_cast<double>(i + 1) * 0.25;
  const Comparison c = Compare(F32(want), F32(got));
  ASSERT_EQ(c.worst.size(), 5u);
  EXPECT_EQ(c.worst[0].index[0], 19);
  EXPECT_EQ(c.worst[4].index[0], 15);
  EXPECT_EQ(c.mismatches, 20);
}

}  // namespace
}  // namespace opbyop
