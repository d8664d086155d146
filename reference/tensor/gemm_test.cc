// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace opbyop::reference {
namespace {

// Sums that depend on the order of their terms.
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

TEST(GemmTest, RowsThatThreadsShareAreSummedInTheSameOrder) {
  EXPECT_EQ(Product(300, 120, 150, 3), Product(300, 120, 150, 1));
}

TEST(GemmTest, SoAreColumnsWhereThereAreMore) { EXPECT_EQ(Product(5, 5000, 300, 4), Product(5, 5000, 300, 1)); }

}  // namespace
}  // namespace opbyop::reference
