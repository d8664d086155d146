// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/bounds/exact_sum.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <vector>

namespace opbyop::reference {
namespace {

bool IsExact(ElementType type, const std::vector<double>& terms) {
  ExactSum sum(FormatOf(type));
  for (const double v : terms) sum.Add(v);
  return sum.exact();
}

TEST(ExactSumTest, SumsThatFitTheSignificandAreExact) {
  EXPECT_TRUE(IsExact(ElementType::kBf16, std::vector<double>(256, 0.25)));
  EXPECT_FALSE(IsExact(ElementType::kBf16, std::vector<double>(257, 0.25)));
}

TEST(ExactSumTest, PositiveAndNegativeTermsAreAddedUpSeparately) {
  std::vector<double> terms(256, 3.0);
  terms.insert(terms.end(), 256, -3.0);
  EXPECT_FALSE(IsExact(ElementType::kBf16, terms)) << "3 is three units of 1";
  for (double& v : terms) v /= 3;
  EXPECT_TRUE(IsExact(ElementType::kBf16, terms));
}

TEST(ExactSumTest, TheLowestBitOfAllTermsIsTheUnit) {
  EXPECT_TRUE(IsExact(ElementType::kF16, {1024, 1, 1023}));
  EXPECT_FALSE(IsExact(ElementType::kF16, {1024, 0.5, 1023}));
}

TEST(ExactSumTest, ZerosDoNotLowerTheUnit) { EXPECT_TRUE(IsExact(ElementType::kF32, {0.0, 1.0, -0.0})); }

TEST(ExactSumTest, SubnormalTermsAreMultiplesOfTheLeastOne) {
  const double least = std::numeric_limits<float>::denorm_min();
  EXPECT_TRUE(IsExact(ElementType::kF32, {least, 5 * least, -3 * least}));
}

TEST(ExactSumTest, SumsWithInfinityOrNanAreNotExact) {
  EXPECT_FALSE(IsExact(ElementType::kF32, {1, std::numeric_limits<double>::infinity()}));
  EXPECT_FALSE(IsExact(ElementType::kF32, {1, std::numeric_limits<double>::quiet_NaN()}));
}

TEST(ExactSumTest, SumsBeyondTheGreatestNumberAreNotExact) { EXPECT_FALSE(IsExact(ElementType::kF16, {32768, 32768})); }

}  // namespace
}  // namespace opbyop::reference
