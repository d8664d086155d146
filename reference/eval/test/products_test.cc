// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products over several dimensions, and those with an operand of mostly zeros.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "reference/eval/evaluate_text.h"
#include "reference/eval/test/inexact_arguments.h"

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

Tensor ProductOf(const Tensor& lhs, const Tensor& rhs, const Shape& result, const std::string& dimensions) {
  const auto type = [](const Shape& shape) { return fmt::format("tensor<{}xf32>", fmt::join(shape, "x")); };
  const Expected<Values> results =
      EvaluateText(fmt::format("func.func @main(%a: {0}, %b: {1}) -> {2} {{\n"
                               "  %0 = stablehlo.dot_general %a, %b, {3} : ({0}, {1}) -> {2}\n  return %0 : {2}\n}}\n",
                               type(lhs.shape()), type(rhs.shape()), type(result), dimensions),
                   {lhs, rhs}, {.bounds = true});
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
  return results ? (*results)[0].tensor() : Tensor::Make(ElementType::kF32, result);
}

std::vector<double> Product(const Tensor& lhs, const Tensor& rhs, const Shape& result, const std::string& dimensions) {
  return Elements<double>(ProductOf(lhs, rhs, result, dimensions));
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

// Sums that are large enough for a library, which adds them up in f32. One of the errors is beyond what it is given.
TEST(ProductsTest, TheErrorsOfOperandsAreAddedUp) {
  constexpr int64_t rows = 70, depth = 300, columns = 900;
  const Tensor lhs = Numbers({rows, depth}), rhs = Numbers({depth, columns});
  std::vector<double> lhs_errors(rows * depth), rhs_errors(depth * columns);
  for (size_t i = 0; i < lhs_errors.size(); ++i) lhs_errors[i] = std::exp2(-static_cast<double>(i * 37 % 150));
  for (size_t i = 0; i < rhs_errors.size(); ++i) rhs_errors[i] = i % 7 == 0 ? 0 : 1.0 / static_cast<double>(i % 13 + 1);
  for (const double greatest : {1.0, 0x1p200, 0x1p400}) {
    lhs_errors[depth + 5] = greatest;  // in row 1
    const Tensor product = ProductOf(WithErrors(lhs, lhs_errors), WithErrors(rhs, rhs_errors), {rows, columns},
                                     "contracting_dims = [1] x [0]");
    ASSERT_FALSE(product.bounds().empty());
    for (int64_t i = 1; i < rows; i += 3) {
      for (int64_t j = 0; j < columns; j += 7) {
        double carried = 0, magnitude = 0;
        for (int64_t p = 0; p < depth; ++p) {
          const double a = std::fabs(NumberAt(i * depth + p)), b = std::fabs(NumberAt(p * columns + j));
          const double ea = lhs_errors[static_cast<size_t>(i * depth + p)];
          const double eb = rhs_errors[static_cast<size_t>(p * columns + j)];
          carried += a * eb + ea * (b + eb);
          magnitude += a * b;
        }
        const double bound = product.bounds()[static_cast<size_t>(i * columns + j)];
        ASSERT_GE(bound, carried * (1 - 0x1p-40)) << i << ", " << j;
        if (i != 1 || greatest == 1) ASSERT_LE(bound, carried * (1 + 0x1p-13) + 0x1p-14 * magnitude) << i << ", " << j;
      }
    }
  }
}

TEST(ProductsTest, AnOperandOfZerosAlone) {
  const std::vector<double> product =
      Product(Numbers({3, 40}), F32({40, 5}, std::vector<double>(200)), {3, 5}, "contracting_dims = [1] x [0]");
  EXPECT_EQ(product, std::vector<double>(15));
}

}  // namespace
}  // namespace opbyop::reference
