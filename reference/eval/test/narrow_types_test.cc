// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results for types of 16 bits and fewer: those that a right device may give, and those that are wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "reference/bounds/compare.h"
#include "reference/eval/evaluate_text.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

Tensor One(ElementType type, double value) { return Tensor::Of<double>(type, {1}, {value}); }

Tensor ResultOf(const std::string& text, Values arguments) {
  const Expected<Values> results = EvaluateText(text, std::move(arguments), {.bounds = true});
  EXPECT_TRUE(results) << (results ? "" : results.error().message);
  return (*results)[0].tensor();
}

Tensor Unary(const std::string& op, ElementType type, double x) {
  const std::string tensor = fmt::format("tensor<1x{}>", NameOf(type));
  return ResultOf(fmt::format("func.func @main(%a: {0}) -> {0} {{\n%0 = {1} %a : {0}\nreturn %0 : {0}\n}}", tensor, op),
                  {One(type, x)});
}

Tensor Quotient(ElementType type, double x, double y) {
  const std::string tensor = fmt::format("tensor<1x{}>", NameOf(type));
  return ResultOf(
      fmt::format(
          "func.func @main(%a: {0}, %b: {0}) -> {0} {{\n%0 = stablehlo.divide %a, %b : {0}\nreturn %0 : {0}\n}}",
          tensor),
      {One(type, x), One(type, y)});
}

Tensor Converted(ElementType from, ElementType to, double x) {
  return ResultOf(fmt::format("func.func @main(%a: tensor<1x{0}>) -> tensor<1x{1}> {{\n%0 = stablehlo.convert %a : "
                              "(tensor<1x{0}>) -> tensor<1x{1}>\nreturn %0 : tensor<1x{1}>\n}}",
                              NameOf(from), NameOf(to)),
                  {One(from, x)});
}

bool IsAccepted(const Tensor& expected, double got) {
  const std::vector<std::byte> bytes = TensorToBytes(One(expected.type(), got));
  return CompareOutput(0, expected, bytes)->accepted;
}

TEST(NarrowTypesTest, AQuotientOf16BitsIsRoundedToNearest) {
  const Tensor third = Quotient(ElementType::kBf16, 1, 3);
  EXPECT_TRUE(IsAccepted(third, 0x1.56p-2));
  EXPECT_FALSE(IsAccepted(third, 0x1.54p-2)) << "toward zero";
  EXPECT_FALSE(IsAccepted(third, 0x1.58p-2));
  const Tensor root = Unary("stablehlo.sqrt", ElementType::kF16, 2);
  EXPECT_TRUE(IsAccepted(root, RoundTo(FormatOf(ElementType::kF16), std::sqrt(2.0))));
  EXPECT_FALSE(IsAccepted(root, RoundTo(FormatOf(ElementType::kF16), std::sqrt(2.0)) + 0x1p-10));
}

TEST(NarrowTypesTest, AnF8FunctionIsTheRoundedF32Function) {
  const Tensor tanh = Unary("stablehlo.tanh", ElementType::kF8E4M3Fn, 0.5);
  const double right = RoundTo(FormatOf(ElementType::kF8E4M3Fn), std::tanh(0.5));
  EXPECT_TRUE(IsAccepted(tanh, right));
  EXPECT_FALSE(IsAccepted(tanh, right + 0x1p-5));
  EXPECT_FALSE(IsAccepted(tanh, right - 0x1p-5));
}

TEST(NarrowTypesTest, A16BitFunctionMayHaveANativeImplementation) {
  EXPECT_TRUE(IsAccepted(Unary("stablehlo.exponential", ElementType::kF16, 0), 1 + 0x1p-10));
}

TEST(NarrowTypesTest, TheSignOfAZeroQuotientOrRootIsFixed) {
  EXPECT_TRUE(IsAccepted(Unary("stablehlo.sqrt", ElementType::kF32, -0.0), -0.0));
  EXPECT_FALSE(IsAccepted(Unary("stablehlo.sqrt", ElementType::kF32, -0.0), 0.0));
  EXPECT_FALSE(IsAccepted(Quotient(ElementType::kF32, -0.0, 3), 0.0));
  EXPECT_FALSE(IsAccepted(Quotient(ElementType::kBf16, 0.0, 3), -0.0));
}

TEST(NarrowTypesTest, AConversionBeyondTheGreatestNumberMaySaturate) {
  const Tensor without_infinity = Converted(ElementType::kF32, ElementType::kF8E4M3Fn, -600);
  EXPECT_TRUE(IsAccepted(without_infinity, kNan));
  EXPECT_TRUE(IsAccepted(without_infinity, -448));
  EXPECT_FALSE(IsAccepted(without_infinity, 448));
  EXPECT_FALSE(IsAccepted(without_infinity, -416));
  const Tensor with_infinity = Converted(ElementType::kBf16, ElementType::kF8E5M2, kInf);
  EXPECT_TRUE(IsAccepted(with_infinity, kInf));
  EXPECT_TRUE(IsAccepted(with_infinity, 57344));
  EXPECT_FALSE(IsAccepted(with_infinity, -57344));
}

TEST(NarrowTypesTest, AConversionOfAComplexNumberHasTheSignOfItsRealPart) {
  const Tensor x = Tensor::Of<Complex>(ElementType::kC64, {1}, {Complex(-1e9, 1)});
  const Tensor out = ResultOf(R"(func.func @main(%a: tensor<1xcomplex<f32>>) -> tensor<1xf8E5M2> {
    %0 = stablehlo.convert %a : (tensor<1xcomplex<f32>>) -> tensor<1xf8E5M2>
    return %0 : tensor<1xf8E5M2>
  })",
                              {x});
  EXPECT_TRUE(IsAccepted(out, -kInf));
  EXPECT_FALSE(IsAccepted(out, kInf));
}

TEST(NarrowTypesTest, AComplexRootMayHaveZerosOfEitherSign) {
  const Tensor x = Tensor::Of<Complex>(ElementType::kC64, {1}, {Complex(4, 0)});
  const Tensor root = ResultOf(R"(func.func @main(%a: tensor<1xcomplex<f32>>) -> tensor<1xcomplex<f32>> {
    %0 = stablehlo.sqrt %a : tensor<1xcomplex<f32>>
    return %0 : tensor<1xcomplex<f32>>
  })",
                               {x});
  const std::vector<std::byte> bytes = TensorToBytes(Tensor::Of<Complex>(ElementType::kC64, {1}, {Complex(2, -0.0)}));
  EXPECT_TRUE(CompareOutput(0, root, bytes)->accepted);
}

TEST(NarrowTypesTest, AConversionOfNanIsNan) {
  EXPECT_FALSE(IsAccepted(Converted(ElementType::kF32, ElementType::kF8E4M3Fn, kNan), 448));
}

TEST(NarrowTypesTest, AConversionTo16BitsOverflows) {
  EXPECT_FALSE(IsAccepted(Converted(ElementType::kF32, ElementType::kF16, 1e6), 65504));
}

}  // namespace
}  // namespace opbyop::reference
