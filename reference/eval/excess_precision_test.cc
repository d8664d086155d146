// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/excess_precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference/eval/evaluate_text.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

Tensor NumbersOfBf16(const std::vector<double>& values) {
  return Tensor::Of<double>(ElementType::kBf16, {static_cast<int64_t>(values.size())}, values);
}

Tensor EvaluateUnrounded(const std::string& text, Values arguments) {
  const Expected<Values> results = EvaluateText(text, std::move(arguments), {.bounds = true, .keeps_excess = true});
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
  return results ? (*results)[0].tensor() : Tensor::Zeros(ElementType::kBf16, {1});
}

constexpr char kDifference[] = R"(func.func @main(%a: tensor<1xbf16>, %b: tensor<1xbf16>) -> tensor<1xbf16> {
  %0 = stablehlo.add %a, %b : tensor<1xbf16>
  %1 = stablehlo.subtract %0, %a : tensor<1xbf16>
  return %1 : tensor<1xbf16>
})";

TEST(ExcessPrecisionTest, TheBoundCoversTheRoundedAndTheUnroundedValue) {
  // 1 + 2^-9 is rounded to 1, and the difference is 0; in f32 it is 2^-9.
  const Tensor t = EvaluateUnrounded(kDifference, {NumbersOfBf16({1}), NumbersOfBf16({0x1p-9})});
  EXPECT_EQ(t.data<double>()[0], 0);
  EXPECT_GE(t.bounds()[0], 0x1p-9);
  EXPECT_LT(t.bounds()[0], 0x1p-7) << "a neighbour of the sum is wrong";
}

TEST(ExcessPrecisionTest, AResultOfTheProgramIsRounded) {
  const Tensor t =
      EvaluateUnrounded(R"(func.func @main(%a: tensor<1xbf16>, %b: tensor<1xbf16>) -> (tensor<1xbf16>, tensor<1xbf16>) {
  %0 = stablehlo.add %a, %b : tensor<1xbf16>
  %1 = stablehlo.negate %0 : tensor<1xbf16>
  return %0, %1 : tensor<1xbf16>, tensor<1xbf16>
})",
                        {NumbersOfBf16({1}), NumbersOfBf16({0x1p-9})});
  EXPECT_TRUE(t.bounds().empty());
}

TEST(ExcessPrecisionTest, TheProductOfAnEinsumMayStayUnrounded) {
  const Tensor t = EvaluateUnrounded(R"(func.func @main(%a: tensor<1xbf16>, %b: tensor<1xbf16>) -> tensor<bf16> {
  %0 = "stablehlo.einsum"(%a, %b) <{einsum_config = "i,i->"}> : (tensor<1xbf16>, tensor<1xbf16>) -> tensor<bf16>
  %1 = stablehlo.negate %0 : tensor<bf16>
  return %1 : tensor<bf16>
})",
                                     {NumbersOfBf16({1 + 0x1p-7}), NumbersOfBf16({1 + 0x1p-7})});
  EXPECT_GE(t.bounds()[0], 0x1p-14);
}

TEST(ExcessPrecisionTest, AConversionThereAndBackMayBeLeftOut) {
  const Tensor t = EvaluateUnrounded(R"(func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> {
  %0 = stablehlo.convert %a : (tensor<1xf32>) -> tensor<1xbf16>
  %1 = stablehlo.convert %0 : (tensor<1xbf16>) -> tensor<1xf32>
  return %1 : tensor<1xf32>
})",
                                     {F32({1}, {1 + 0x1p-9})});
  EXPECT_GE(t.bounds()[0], 0x1p-9);
}

TEST(ExcessPrecisionTest, ReducePrecisionAndF32HaveNone) {
  for (const std::string op :
       {"stablehlo.reduce_precision %a, format = e8m7 : tensor<1xf32>", "stablehlo.add %a, %a : tensor<1xf32>"}) {
    const Tensor t = EvaluateUnrounded("func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> {\n%0 = " + op +
                                           "\n%1 = stablehlo.negate %0 : tensor<1xf32>\nreturn %1 : tensor<1xf32>\n}",
                                       {F32({1}, {1.0000001})});
    EXPECT_TRUE(t.bounds().empty()) << op;
  }
}

TEST(ExcessPrecisionTest, WhatOverflowsTheTypeMayBeANumber) {
  const auto halved = [](double x) {
    const Tensor a = Tensor::Of<double>(ElementType::kF16, {1}, std::vector<double>{x});
    const Tensor b = Tensor::Of<double>(ElementType::kF16, {1}, std::vector<double>{0.25});
    return EvaluateUnrounded(R"(func.func @main(%a: tensor<1xf16>, %b: tensor<1xf16>) -> tensor<1xf16> {
  %0 = stablehlo.add %a, %a : tensor<1xf16>
  %1 = stablehlo.multiply %0, %b : tensor<1xf16>
  return %1 : tensor<1xf16>
})",
                             {a, b});
  };
  EXPECT_EQ(halved(60000).bounds()[0], kInf);
  EXPECT_TRUE(halved(kInf).bounds().empty() || halved(kInf).bounds()[0] == 0);
}

}  // namespace
}  // namespace opbyop::reference
