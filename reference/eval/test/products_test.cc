// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products over several dimensions, and those with an operand of mostly zeros.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/eval/evaluate_text.h"

namespace opbyop::reference {
namespace {

// A float that tells the element at `place` from its neighbours.
double NumberAt(int64_t place) { return static_cast<double>(place % 4093) - 2000; }

Tensor Numbers(const Shape& shape) {
  std::vector<double> values(static_cast<size_t>(SizeOf(shape)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = NumberAt(static_cast<int64_t>(i));
  return F32(shape, values);
}

// depth x columns, with a one in each column: in row `column % depth`.
Tensor OneInEachColumn(int64_t depth, int64_t columns) {
  std::vector<double> values(static_cast<size_t>(depth * columns), 0.0);
  for (int64_t c = 0; c < columns; ++c) values[static_cast<size_t>(c % depth * columns + c)] = 1;
  return F32({depth, columns}, values);
}

std::vector<double> Product(const Tensor& lhs, const Tensor& rhs, const Shape& result, const std::string& dimensions) {
  const auto type = [](const Shape& shape) { return fmt::format("tensor<{}xf32>", fmt::join(shape, "x")); };
  const Expected<Values> results =
      EvaluateText(fmt::format("func.func @main(%a: {0}, %b: {1}) -> {2} {{\n"
                               "  %0 = stablehlo.dot_general %a, %b, {3} : ({0}, {1}) -> {2}\n  return %0 : {2}\n}}\n",
                               type(lhs.shape()), type(rhs.shape()), type(result), dimensions),
                   {lhs, rhs}, {.bounds = true});
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
  return results ? Elements<double>((*results)[0].tensor()) : std::vector<double>();
}

// Element (i, j) of the product of Numbers({rows, depth}) with OneInEachColumn(depth, columns).
void ExpectChosenColumns(int64_t rows, int64_t depth, int64_t columns) {
  const std::vector<double> product =
      Product(Numbers({rows, depth}), OneInEachColumn(depth, columns), {rows, columns}, "contracting_dims = [1] x [0]");
  ASSERT_EQ(product.size(), static_cast<size_t>(rows * columns));
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      ASSERT_EQ(product[static_cast<size_t>(i * columns + j)], NumberAt(i * depth + j % depth)) << i << ", " << j;
    }
  }
}

TEST(ProductsTest, TheContractedDimensionsAreTakenInPairs) {
  for (const auto& [dimensions, transposed] : {std::pair("contracting_dims = [2, 0] x [0, 1]", false),
                                               std::pair("contracting_dims = [0, 2] x [0, 1]", true)}) {
    const std::vector<double> product =
        Product(Numbers({4, 2, 3}), Numbers({transposed ? 4 : 3, transposed ? 3 : 4, 2}), {2, 2}, dimensions);
    ASSERT_EQ(product.size(), 4u);
    for (int64_t i = 0; i < 2; ++i) {
      for (int64_t j = 0; j < 2; ++j) {
        double sum = 0;
        for (int64_t a = 0; a < 4; ++a) {
          for (int64_t b = 0; b < 3; ++b) {
            sum += NumberAt((a * 2 + i) * 3 + b) * NumberAt((transposed ? a * 3 + b : b * 4 + a) * 2 + j);
          }
        }
        EXPECT_EQ(product[static_cast<size_t>(i * 2 + j)], sum) << dimensions << ": " << i << ", " << j;
      }
    }
  }
}

TEST(ProductsTest, MoreSparseColumnsThanAreDecodedAtOnce) { ExpectChosenColumns(3, 40, 150); }

TEST(ProductsTest, SparseColumnsLongerThanIsDecodedAtOnce) { ExpectChosenColumns(2, 70'000, 3); }

TEST(ProductsTest, MoreDenseRowsThanATileHas) { ExpectChosenColumns(1100, 1000, 9); }

TEST(ProductsTest, FewColumnsThatUseFewPlacesOfALongSum) { ExpectChosenColumns(300, 3000, 2); }

TEST(ProductsTest, SparseRowsOfTheLeftOperand) {
  // Row i has -1 in column i % 40. The rows of the right operand are columns of the result.
  std::vector<double> rows(static_cast<size_t>(150 * 40), 0.0);
  for (int64_t i = 0; i < 150; ++i) rows[static_cast<size_t>(i * 40 + i % 40)] = -1;
  const std::vector<double> product =
      Product(F32({150, 40}, rows), Numbers({200, 40}), {150, 200}, "contracting_dims = [1] x [1]");
  ASSERT_EQ(product.size(), 30'000u);
  for (int64_t i = 0; i < 150; ++i) {
    for (int64_t j = 0; j < 200; ++j) {
      ASSERT_EQ(product[static_cast<size_t>(i * 200 + j)], -NumberAt(j * 40 + i % 40)) << i << ", " << j;
    }
  }
}

TEST(ProductsTest, OneRowByALargeMatrix) {
  const std::vector<double> product = Product(F32({1, 200}, std::vector<double>(200, 1)), Numbers({200, 300}), {1, 300},
                                              "contracting_dims = [1] x [0]");
  ASSERT_EQ(product.size(), 300u);
  for (int64_t j = 0; j < 300; ++j) {
    double sum = 0;
    for (int64_t p = 0; p < 200; ++p) sum += NumberAt(p * 300 + j);
    EXPECT_EQ(product[static_cast<size_t>(j)], sum) << j;
  }
}

TEST(ProductsTest, ALargeMatrixByTwoColumns) {
  const std::vector<double> product = Product(Numbers({300, 200}), F32({2, 200}, std::vector<double>(400, -1)),
                                              {300, 2}, "contracting_dims = [1] x [1]");
  ASSERT_EQ(product.size(), 600u);
  for (int64_t i = 0; i < 600; ++i) {
    double sum = 0;
    for (int64_t p = 0; p < 200; ++p) sum -= NumberAt(i / 2 * 200 + p);
    EXPECT_EQ(product[static_cast<size_t>(i)], sum) << i;
  }
}

TEST(ProductsTest, AnOperandOfZerosAlone) {
  const std::vector<double> product =
      Product(Numbers({3, 40}), F32({40, 5}, std::vector<double>(200)), {3, 5}, "contracting_dims = [1] x [0]");
  EXPECT_EQ(product, std::vector<double>(15));
}

}  // namespace
}  // namespace opbyop::reference
