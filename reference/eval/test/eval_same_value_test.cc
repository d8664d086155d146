// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that take the same value of a program twice: both operands then have the same error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference/bounds/bound.h"
#include "reference/eval/test/one_result.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

Tensor Bounded(const std::string& text, const std::vector<Tensor>& arguments) {
  return OneResult(text, Values(arguments.begin(), arguments.end()), {.bounds = true});
}

// A program that applies `op` to %x, an exponential, whose last bits may differ on a device.
std::string OfTheSameValue(const std::string& type, const std::string& op, const std::string& result) {
  return "func.func @main(%a: " + type + ") -> " + result + " {\n%x = stablehlo.exponential %a : " + type +
         "\n%0 = " + op + "\nreturn %0 : " + result + "\n}";
}

TEST(SameValueTest, TheNanTestOfABoundedValueIsDecided) {
  const auto compare = [](const std::string& direction) {
    return Bounded(
        OfTheSameValue("tensor<4xf32>",
                       "stablehlo.compare " + direction + ", %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>",
                       "tensor<4xi1>"),
        {F32({4}, {0.5, -1, kNan, kInf})});
  };
  for (const char* direction : {"EQ", "NE", "LE", "GE", "LT", "GT"}) {
    const Tensor out = compare(direction);
    EXPECT_THAT(out.bounds(), testing::Each(0)) << direction;
  }
  EXPECT_EQ(compare("NE").data<uint8_t>()[0], 0);
  EXPECT_EQ(compare("NE").data<uint8_t>()[2], 1);
}

TEST(SameValueTest, TheNanTestOfAnUnboundedValueIsUndecided) {
  const char* text = R"(func.func @main(%a: tensor<1x3xf32>) -> (tensor<1xi1>, tensor<1xi1>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %x = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<1x3xf32>, tensor<f32>) -> tensor<1xf32>
    %0 = stablehlo.compare NE, %x, %x : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    return %0, %0 : tensor<1xi1>, tensor<1xi1>
  })";
  EXPECT_GT(Bounded(text, {F32({1, 3}, {3e38, 3e38, -3e38})}).bounds()[0], 0);
}

TEST(SameValueTest, XMinusXIsZeroAndXOverXIsOne) {
  const std::vector<Tensor> x = {F32({3}, {0.5, -1, 3})};
  const auto of = [&](const std::string& op) {
    return Bounded(OfTheSameValue("tensor<3xf32>", op + " %x, %x : tensor<3xf32>", "tensor<3xf32>"), x);
  };
  const Tensor difference = of("stablehlo.subtract");
  EXPECT_THAT(difference.bounds(), testing::Each(0));
  const Tensor quotient = of("stablehlo.divide");
  EXPECT_THAT(quotient.bounds(), testing::Each(0x1p-23)) << "one ULP of the division";
  const Tensor remainder = of("stablehlo.remainder");
  EXPECT_THAT(remainder.bounds(), testing::Each(0));
}

// A tensor of one element with a bound of `error`.
Tensor Inexact(double value, double error) {
  Tensor x = F32({1}, {value});
  auto bound = MakeBound(1, "test", 1);
  MutableSpan(*bound)[0] = error;
  x.set_bound(bound);
  return x;
}

std::string OnOneOperandTwice(const std::string& op) {
  return "func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> {\n%0 = " + op +
         " %a, %a : tensor<1xf32>\nreturn %0 : tensor<1xf32>\n}";
}

TEST(SameValueTest, XMinusXMayBeNanIfXMayOverflow) {
  EXPECT_EQ(Bounded(OnOneOperandTwice("stablehlo.subtract"), {Inexact(3.4e38, 1e37)}).bounds()[0], kInf);
  EXPECT_EQ(Bounded(OnOneOperandTwice("stablehlo.subtract"), {Inexact(3e38, 1e37)}).bounds()[0], 0);
}

TEST(SameValueTest, XOverXMayBeNanIfXMayBeZero) {
  EXPECT_EQ(Bounded(OnOneOperandTwice("stablehlo.divide"), {Inexact(1, 1)}).bounds()[0], kInf);
  EXPECT_LT(Bounded(OnOneOperandTwice("stablehlo.divide"), {Inexact(1, 0.5)}).bounds()[0], 1e-6);
}

// logcumsumexp recognises infinities by a difference that is NaN.
TEST(SameValueTest, ASelectionByTheNanTestOfAnInexactValueIsBounded) {
  const Tensor out = Bounded(R"(func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %s = stablehlo.subtract %a, %b : tensor<4xf32>
    %d = stablehlo.exponential %s : tensor<4xf32>
    %nan = stablehlo.compare NE, %d, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %sum = stablehlo.add %a, %b : tensor<4xf32>
    %log = stablehlo.log %d : tensor<4xf32>
    %0 = stablehlo.select %nan, %sum, %log : tensor<4xi1>, tensor<4xf32>
    return %0 : tensor<4xf32>
  })",
                             {F32({4}, {1, 2, 3, -3}), F32({4}, {-1e3F, -2, 1, 3})});
  for (size_t i = 1; i < 4; ++i) EXPECT_LT(out.bounds()[i], 1e-4);
}

}  // namespace
}  // namespace opbyop::reference
