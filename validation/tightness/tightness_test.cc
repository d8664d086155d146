// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/tightness/tightness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace opbyop {
namespace {

using reference::Tensor;

Tensor Of(const std::vector<double>& values) {
  Tensor t = Tensor::Make(reference::ElementType::kF64, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, t.Mutable<double>().begin());
  return t;
}

TEST(TightnessTest, FindsTheLeastErrorThatIsDetected) {
  EXPECT_EQ(LeastDetected([](double e) { return e >= 0.125; }), 3);
  EXPECT_EQ(LeastDetected([](double e) { return e >= 1; }), 0);
  EXPECT_EQ(LeastDetected([](double) { return false; }), -1);
  EXPECT_EQ(LeastDetected([](double) { return true; }), 30);
}

TEST(TightnessTest, TheMedianElementIsOneThatAFactorChanges) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(MedianElement(Of({0, infinity, -4, 1, 2, std::nan("")})), 4u);
  EXPECT_EQ(MedianElement(Of({0, infinity})), std::nullopt);
}

TEST(TightnessTest, AllCloseIsThatOfNumpy) {
  EXPECT_TRUE(IsAllClose(Of({1, 0}), Of({1.0019, 0.0009})));
  EXPECT_FALSE(IsAllClose(Of({1, 0}), Of({1.0021, 0})));
  EXPECT_TRUE(IsAllClose(Of({std::nan("")}), Of({std::nan("")})));
}

TEST(TightnessTest, TheCorrelationDoesNotDetectAFactor) {
  EXPECT_NEAR(Correlation(Of({1, 2, 4}), Of({2, 4, 8})), 1, 1e-12);
  EXPECT_LT(Correlation(Of({1, 2, 4}), Of({4, 2, 1})), 0);
}

TEST(TightnessTest, ARowHasTheMedianAndTheWorstOfAnOp) {
  std::vector<Tightness> cases(3);
  for (int i = 0; i < 3; ++i)
    cases[static_cast<size_t>(i)] = {"dot", {.verdict = 10 + i, .allclose = 9}, {.verdict = 20}};
  const std::string text = TightnessMarkdown({{"host", cases}});
  EXPECT_NE(text.find("| dot | host | 3 | 5e-04 | 1e-03 | 2e-03 | none | 1e-06 | 1e-06 | none | none |"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace opbyop
