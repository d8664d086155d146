// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/few_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace opbyop::reference {
namespace {

// Numbers whose sums depend on the order of the terms. One in seven is zero.
std::vector<double> RowValues(int64_t count) {
  std::vector<double> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = i % 7 == 3 ? 0 : std::sin(static_cast<double>(i)) * std::exp2(static_cast<double>(i % 40));
  }
  return values;
}

// Rows of `depth` numbers each, and a matrix whose columns follow each other or whose rows do.
struct Operands {
  Operands(int64_t rows, int64_t depth, int64_t columns, bool by_columns)
      : a(RowValues(rows * depth)),
        b(RowValues(depth * columns)),
        rows_outer(OffsetsOf({rows}, {depth})),
        rows_inner(OffsetsOf({depth}, {1})),
        outer(OffsetsOf({columns}, {by_columns ? depth : 1})),
        inner(OffsetsOf({depth}, {by_columns ? 1 : columns})) {}

  GemmOperand rows() const { return {{a.data()}, rows_outer, rows_inner}; }
  GemmOperand matrix() const { return {{b.data()}, outer, inner}; }
  std::vector<double> Product(Taken taken) const {
    std::vector<double> c(rows_outer.size() * outer.size());
    Gemm(rows(), matrix(), c.data(), {.taken = taken});
    return c;
  }

  std::vector<double> a, b;
  Offsets rows_outer, rows_inner, outer, inner;
};

void ExpectWhatGemmGives(const Operands& operands, int threads) {
  const RowSums sums = SumsOfRows(operands.rows(), operands.matrix(), threads);
  const std::vector<double> values = operands.Product(Taken::kValue);
  ASSERT_EQ(sums.values.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_TRUE(sums.values[i] == values[i] || (std::isnan(sums.values[i]) && std::isnan(values[i]))) << i;
  }
  EXPECT_EQ(sums.magnitudes, operands.Product(Taken::kFiniteModulus));
  EXPECT_EQ(sums.terms, operands.Product(Taken::kNonzero));
}

TEST(FewRowsTest, SumsAreThoseOfGemmInEveryLayoutAndSize) {
  for (const int64_t rows : {1, 2}) {
    for (const bool by_columns : {false, true}) {
      for (const auto& [depth, columns] : {std::pair(1, 1), std::pair(37, 9), std::pair(300, 700)}) {
        SCOPED_TRACE(testing::Message() << rows << " rows of " << depth << " by " << columns << " columns");
        ExpectWhatGemmGives({rows, depth, columns, by_columns}, 1);
      }
    }
  }
}

TEST(FewRowsTest, ThreadsGiveTheSame) { ExpectWhatGemmGives({2, 300, 1500, false}, 3); }

TEST(FewRowsTest, InfinitiesAndNanCountAsZeroInMagnitudes) {
  Operands operands(2, 40, 300, false);
  operands.a[5] = std::numeric_limits<double>::infinity();
  operands.b[17] = std::numeric_limits<double>::quiet_NaN();
  operands.b[2 * 300 + 17] = -std::numeric_limits<double>::infinity();
  ExpectWhatGemmGives(operands, 1);
  const RowSums sums = SumsOfRows(operands.rows(), operands.matrix(), 1);
  EXPECT_FALSE(sums.finite);
  EXPECT_EQ(sums.greatest[17], std::numeric_limits<double>::infinity());
}

TEST(FewRowsTest, FactsAreOfTheMatrixAlone) {
  Operands operands(1, 3, 2, false);
  operands.a = {std::numeric_limits<double>::infinity(), 0, 0};
  operands.b = {1, 0, -5, 0, 2, -0.0};
  const RowSums sums = SumsOfRows(operands.rows(), operands.matrix(), 1);
  EXPECT_TRUE(sums.finite);
  EXPECT_EQ(sums.zeros, 3);
  EXPECT_EQ(sums.greatest, (std::vector<double>{5, 0}));
}

TEST(FewRowsTest, AnEmptySumIsZero) {
  const Operands operands(2, 0, 5, false);
  const RowSums sums = SumsOfRows(operands.rows(), operands.matrix(), 1);
  EXPECT_EQ(sums.values, std::vector<double>(10));
  EXPECT_EQ(sums.zeros, 0);
}

}  // namespace
}  // namespace opbyop::reference
