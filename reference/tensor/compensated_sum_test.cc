// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/compensated_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace opbyop::reference {
namespace {

TEST(CompensatedSumTest, KeepsSmallTermsThatASumInDoubleLoses) {
  CompensatedSum sum(1);
  for (int i = 0; i < 1000; ++i) sum.Add(0x1p-60);
  sum.Add(-1);
  EXPECT_EQ(sum.Value(), 1000 * 0x1p-60);
}

TEST(CompensatedSumTest, KeepsTheRoundingOfAProduct) {
  const double x = 1 + 0x1p-40;
  CompensatedSum sum;
  sum.AddProduct(x, x);
  sum.Add(-(1 + 0x1p-39));
  EXPECT_EQ(sum.Value(), 0x1p-80);
}

TEST(CompensatedSumTest, KeepsInfinitiesNansAndTheSignOfZero) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  CompensatedSum sum(1);
  sum.Add(kInf);
  sum.AddProduct(1e200, 1e200);
  EXPECT_EQ(sum.Value(), kInf);
  sum.Add(-kInf);
  EXPECT_TRUE(std::isnan(sum.Value()));
  CompensatedSum zero(-0.0);
  zero.Add(-0.0);
  EXPECT_TRUE(std::signbit(zero.Value()));
}

TEST(CompensatedSumTest, ComplexProductsKeepBothPartsAccurate) {
  CompensatedComplexSum sum;
  const Complex z(1 + 0x1p-40, 1);
  sum.AddProduct(z, z);
  sum.Add({-0x1p-39, -2});
  EXPECT_EQ(sum.Value(), Complex(0x1p-80, 0x1p-39));
}

TEST(CompensatedSumTest, ADotProductReadsElementsAtTheGivenPlaces) {
  const std::vector<double> a = {1, 9, 0x1p-60}, b = {1, 1, -1};
  const std::vector<int64_t> a_places = {0, 2, 0}, b_places = {0, 1, 2};
  EXPECT_EQ(CompensatedDot(a.data(), a_places, b.data(), b_places), 0x1p-60);
}

}  // namespace
}  // namespace opbyop::reference
