// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/bounds/product_precision.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "reference/eval/evaluate_text.h"

namespace opbyop::reference {
namespace {

// A dot product of four elements that are all `a` with four that are all `b`, with the given algorithm.
Tensor Dot(const std::string& operands, const std::string& result, const std::string& algorithm, double a, double b,
           bool exact_integers = false) {
  const std::string types = "(tensor<4x" + operands + ">, tensor<4x" + operands + ">) -> tensor<" + result + ">";
  const std::string text = "func.func @main(%a: tensor<4x" + operands + ">, %b: tensor<4x" + operands +
                           ">) -> tensor<" + result +
                           "> {\n%0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0], algorithm = <" +
                           algorithm + "> : " + types + "\nreturn %0 : tensor<" + result + ">\n}";
  const ElementType type = *ParseElementType(operands);
  Expected<Values> results =
      EvaluateText(text, {Tensor::Splat<double>(type, {4}, a), Tensor::Splat<double>(type, {4}, b)},
                   {.bounds = true, .exact_integers = exact_integers});
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
  return (*results)[0].tensor();
}

std::string Algorithm(const std::string& factors, const std::string& sums, int products = 1) {
  return "lhs_precision_type = " + factors + ", rhs_precision_type = " + factors + ", accumulation_type = " + sums +
         ", lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = " + std::to_string(products) +
         ", allow_imprecise_accumulation = false";
}

const double kThird = static_cast<float>(1.0 / 3);

TEST(ProductPrecisionTest, OperandsOfTheAlgorithmsTypeAreNotRounded) {
  const Tensor out = Dot("bf16", "f32", Algorithm("bf16", "f32"), 0x1.56p-2, 1);
  EXPECT_LE(out.bounds()[0], 5 * 0x1p-24 * out.data<double>()[0]);
}

TEST(ProductPrecisionTest, OperandsOfANarrowerTypeAreNotRounded) {
  const Tensor out = Dot("bf16", "f32", Algorithm("tf32", "f32"), 0x1.56p-2, 1);
  EXPECT_LE(out.bounds()[0], 5 * 0x1p-24 * out.data<double>()[0]);
}

TEST(ProductPrecisionTest, OperandsOfAWiderTypeMayBeRounded) {
  const Tensor out = Dot("f32", "f32", Algorithm("tf32", "f32"), kThird, kThird);
  EXPECT_GE(out.bounds()[0], 2 * 0x1p-11 * out.data<double>()[0]);
  EXPECT_LE(out.bounds()[0], 2.1 * 0x1p-11 * out.data<double>()[0]);
}

TEST(ProductPrecisionTest, WideOperandsWhoseValuesFitTheNarrowTypeAreNotRounded) {
  EXPECT_EQ(Dot("f32", "f32", Algorithm("bf16", "f32"), 3, -2, true).bounds()[0], 0);
  EXPECT_LE(Dot("f32", "f32", Algorithm("bf16", "f32"), 0.5, 1).bounds()[0], 5.1 * 0x1p-23);
}

TEST(ProductPrecisionTest, OperandsBeyondTheGreatestNumberOfTheAlgorithmMayOverflow) {
  EXPECT_EQ(Dot("bf16", "f32", Algorithm("f16", "f32"), 1e30, 1).bounds()[0], std::numeric_limits<double>::infinity());
}

TEST(ProductPrecisionTest, ThreeProductsOfTwoComponentsOmitTheLowTimesLowOne) {
  const Tensor out = Dot("f32", "f32", Algorithm("bf16", "f32", 3), kThird, kThird);
  EXPECT_GE(out.bounds()[0], 3 * 0x1p-16 * out.data<double>()[0]);
  EXPECT_LE(out.bounds()[0], 3.2 * 0x1p-16 * out.data<double>()[0]);
}

TEST(ProductPrecisionTest, SumsAreRoundedInTheTypeOfTheAccumulation) {
  const Tensor out = Dot("f16", "f16", Algorithm("f16", "f16"), 0x1.554p-2, 1);
  EXPECT_GE(out.bounds()[0], 4 * 0x1p-11 * out.data<double>()[0]);
  EXPECT_LE(out.bounds()[0], 6 * 0x1p-11 * out.data<double>()[0]);
}

}  // namespace
}  // namespace opbyop::reference
