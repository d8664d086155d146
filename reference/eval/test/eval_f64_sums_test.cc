// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results in f64: the reference's own sums are nearly exact, so that the bound allows for the device's errors only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "reference/eval/evaluate_text.h"

namespace opbyop::reference {
namespace {

// 1, then many small terms, then -1. A plain sum from the left loses each of the small terms.
Tensor Terms() {
  Tensor t = Tensor::Splat<double>(ElementType::kF64, {1002}, 0x1p-54);
  t.Mutable<double>()[0] = 1;
  t.Mutable<double>()[1001] = -1;
  return t;
}
constexpr double kSum = 1000 * 0x1p-54;

double First(const std::string& text, Values arguments) {
  const Expected<Values> results = EvaluateText(text, std::move(arguments), {.bounds = true});
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
  return (*results)[0].tensor().data<double>()[0];
}

TEST(F64SumsTest, AReduceIsNearlyExact) {
  EXPECT_EQ(First(R"(func.func @main(%a: tensor<1002xf64>) -> tensor<f64> {
    %z = stablehlo.constant dense<0.0> : tensor<f64>
    %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1002xf64>, tensor<f64>) -> tensor<f64>
    return %0 : tensor<f64>
  })",
                  {Terms()}),
            kSum);
}

TEST(F64SumsTest, AWindowSumIsNearlyExact) {
  EXPECT_EQ(First(R"(func.func @main(%a: tensor<1002xf64>) -> tensor<1xf64> {
    %z = stablehlo.constant dense<0.0> : tensor<f64>
    %0 = "stablehlo.reduce_window"(%a, %z) ({
    ^bb0(%x: tensor<f64>, %y: tensor<f64>):
      %1 = stablehlo.add %x, %y : tensor<f64>
      stablehlo.return %1 : tensor<f64>
    }) {window_dimensions = array<i64: 1002>} : (tensor<1002xf64>, tensor<f64>) -> tensor<1xf64>
    return %0 : tensor<1xf64>
  })",
                  {Terms()}),
            kSum);
}

TEST(F64SumsTest, ADotProductIsNearlyExact) {
  EXPECT_EQ(First(R"(func.func @main(%a: tensor<1002xf64>, %b: tensor<1002xf64>) -> tensor<f64> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<1002xf64>, tensor<1002xf64>) -> tensor<f64>
    return %0 : tensor<f64>
  })",
                  {Terms(), Tensor::Splat<double>(ElementType::kF64, {1002}, 1)}),
            kSum);
}

TEST(F64SumsTest, AComplexDotProductIsNearlyExact) {
  Tensor terms = Tensor::Make(ElementType::kC128, {1002});
  const Tensor real = Terms();
  for (size_t i = 0; i < 1002; ++i) terms.Mutable<Complex>()[i] = {real.data<double>()[i], 0};
  const Expected<Values> results = EvaluateText(
      R"(func.func @main(%a: tensor<1002xcomplex<f64>>, %b: tensor<1002xcomplex<f64>>) -> tensor<complex<f64>> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<1002xcomplex<f64>>, tensor<1002xcomplex<f64>>) -> tensor<complex<f64>>
    return %0 : tensor<complex<f64>>
  })",
      {terms, Tensor::Splat<Complex>(ElementType::kC128, {1002}, {0, 1})}, {.bounds = true});
  ASSERT_TRUE(results.has_value()) << results.error().message;
  EXPECT_EQ((*results)[0].tensor().data<Complex>()[0], Complex(0, kSum));
}

TEST(F64SumsTest, AScatteredSumIsNearlyExact) {
  EXPECT_EQ(First(R"(func.func @main(%a: tensor<1xf64>, %i: tensor<1002x1xi32>, %u: tensor<1002xf64>) -> tensor<1xf64> {
    %0 = "stablehlo.scatter"(%a, %i, %u) ({
    ^bb0(%x: tensor<f64>, %y: tensor<f64>):
      %d = stablehlo.add %x, %y : tensor<f64>
      stablehlo.return %d : tensor<f64>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (tensor<1xf64>, tensor<1002x1xi32>, tensor<1002xf64>) -> tensor<1xf64>
    return %0 : tensor<1xf64>
  })",
                  {Tensor::Zeros(ElementType::kF64, {1}), Tensor::Zeros(ElementType::kI32, {1002, 1}), Terms()}),
            kSum);
}

// For a product of factors the reference computes in double as a device does, so the bound allows for both errors.
TEST(F64SumsTest, RoundingsOfAProductOfFactorsCountTwice) {
  const auto bound = [](const std::string& type) {
    const ElementType element = *ParseElementType(type);
    const Expected<Values> results = EvaluateText(
        "func.func @main(%a: tensor<16x" + type + ">) -> tensor<" + type +
            "> {\n%z = stablehlo.constant dense<1.0> : tensor<" + type +
            ">\n%0 = stablehlo.reduce(%a init: %z) applies stablehlo.multiply across dimensions = [0] : (tensor<16x" +
            type + ">, tensor<" + type + ">) -> tensor<" + type + ">\nreturn %0 : tensor<" + type + ">\n}",
        {Tensor::Splat<double>(element, {16}, 1)}, {.bounds = true});
    return (*results)[0].tensor().bounds()[0] / FormatOf(element).UnitRoundoff();
  };
  EXPECT_NEAR(bound("f32"), 17, 0.01);
  EXPECT_NEAR(bound("f64"), 33, 0.01);
}

}  // namespace
}  // namespace opbyop::reference
