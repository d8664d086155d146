// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace opbyop::reference {
namespace {

// Values whose sums depend on the order of the terms.
std::vector<double> Values(int64_t count) {
  std::vector<double> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i)) * std::exp2(i % 40);
  return values;
}

// The product of an m x k and a k x n matrix, row by row.
std::vector<double> Product(int64_t m, int64_t n, int64_t k, int threads) {
  const std::vector<double> a = Values(m * k), b = Values(k * n);
  const Offsets rows = OffsetsOf({m}, {k}), columns = OffsetsOf({n}, {1});
  const Offsets along_a = OffsetsOf({k}, {1}), along_b = OffsetsOf({k}, {n});
  std::vector<double> c(static_cast<size_t>(m * n));
  Gemm({a.data(), rows, along_a}, {b.data(), columns, along_b}, c.data(), false, threads);
  return c;
}

TEST(GemmTest, ThreadsThatDivideRowsSumInTheSameOrder) {
  EXPECT_EQ(Product(300, 120, 150, 3), Product(300, 120, 150, 1));
}

TEST(GemmTest, ThreadsThatDivideColumnsSumInTheSameOrder) {
  EXPECT_EQ(Product(5, 5000, 300, 4), Product(5, 5000, 300, 1));
}

// Products of few rows or columns are summed along each sum or across the columns, as the layout of the matrix allows.
TEST(GemmTest, AVectorTimesAMatrixIsSummedInTheSameOrderInEveryLayout) {
  for (const bool absolute : {false, true}) {
    for (const int64_t m : {1, 2}) {
      constexpr int64_t n = 2500, k = 37;
      const std::vector<double> a = Values(m * k), b = Values(k * n);
      std::vector<double> transposed(b.size());
      for (int64_t p = 0; p < k; ++p) {
        for (int64_t j = 0; j < n; ++j) transposed[static_cast<size_t>(j * k + p)] = b[static_cast<size_t>(p * n + j)];
      }
      const Offsets rows = OffsetsOf({m}, {k}), along = OffsetsOf({k}, {1});
      std::vector<double> across(static_cast<size_t>(m * n)), along_sums(across.size()), expected(across.size());
      Gemm({a.data(), rows, along}, {b.data(), OffsetsOf({n}, {1}), OffsetsOf({k}, {n})}, across.data(), absolute);
      Gemm({a.data(), rows, along}, {transposed.data(), OffsetsOf({n}, {k}), along}, along_sums.data(), absolute);
      for (int64_t i = 0; i < m * n; ++i) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p) {
          const double term = a[static_cast<size_t>(i / n * k + p)] * b[static_cast<size_t>(p * n + i % n)];
          sum += absolute ? std::fabs(term) : term;
        }
        expected[static_cast<size_t>(i)] = sum;
      }
      EXPECT_EQ(across, expected);
      EXPECT_EQ(along_sums, expected);
    }
  }
}

}  // namespace
}  // namespace opbyop::reference
