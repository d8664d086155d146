// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <utility>

#include "reference/bounds/compare.h"
#include "reference/eval/evaluate_text.h"

namespace opbyop::reference {
namespace {

using testing::Each;

Tensor Draw(const std::string& type, const std::string& distribution, const std::string& a, const std::string& b,
            EvalOptions options = {}) {
  const std::string scalar = "tensor<" + type + ">";
  const std::string result = "tensor<1000x" + type + ">";
  const Expected<Values> results = EvaluateText(
      "func.func @main() -> " + result + " {\n  %a = stablehlo.constant dense<" + a + "> : " + scalar +
          "\n  %b = stablehlo.constant dense<" + b + "> : " + scalar +
          "\n  %s = stablehlo.constant dense<1000> : tensor<1xi64>\n  %0 = stablehlo.rng %a, %b, %s, distribution = " +
          distribution + " : (" + scalar + ", " + scalar + ", tensor<1xi64>) -> " + result +
          "\n  return %0 : " + result + "\n}\n",
      {}, std::move(options));
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
  return results ? (*results)[0].tensor() : Tensor();
}

TEST(EvalRandomTest, UniformNumbersFillTheHalfOpenInterval) {
  const std::vector<double> values = Elements<double>(Draw("f32", "UNIFORM", "-1.0", "3.0"));
  double sum = 0;
  for (const double v : values) {
    EXPECT_GE(v, -1);
    EXPECT_LT(v, 3);
    sum += v;
  }
  EXPECT_NEAR(sum / 1000, 1, 0.2);
}

TEST(EvalRandomTest, UniformIntegersStayInRange) {
  for (const int64_t v : Elements<int64_t>(Draw("i8", "UNIFORM", "-100", "100"))) {
    EXPECT_GE(v, -100);
    EXPECT_LT(v, 100);
  }
}

TEST(EvalRandomTest, TheOpenEndIsNeverReachedInANarrowFormat) {
  for (const double v : Elements<double>(Draw("bf16", "UNIFORM", "0.0", "1.0"))) EXPECT_LT(v, 1);
}

TEST(EvalRandomTest, AFormatWithoutZeroGivesNumbersInTheInterval) {
  for (const double v : Elements<double>(Draw("f8E8M0FNU", "UNIFORM", "0.25", "0.5"))) EXPECT_EQ(v, 0.25);
}

TEST(EvalRandomTest, LimitsThatAreNotAnIntervalAllowAnyNumber) {
  for (const auto& [a, b] : {std::pair("0x7FC00000", "1.0"), std::pair("2.0", "1.0"), std::pair("1.0", "1.0")}) {
    const Tensor drawn = Draw("f32", "UNIFORM", a, b, {.bounds = true});
    const Tensor any = Tensor::Splat<double>(ElementType::kF32, {1000}, 100);
    EXPECT_TRUE(CompareOutput(0, drawn, TensorToBytes(any))->accepted) << a << " to " << b;
  }
}

TEST(EvalRandomTest, IntegerLimitsThatAreNotAnIntervalAllowAnyNumber) {
  for (const auto& [type, element, a, b] :
       {std::tuple("i64", ElementType::kI64, "64", "-33"), std::tuple("i8", ElementType::kI8, "5", "5"),
        std::tuple("ui64", ElementType::kUi64, "18446744073709551615", "3")}) {
    const Tensor drawn = Draw(type, "UNIFORM", a, b, {.bounds = true});
    const Tensor any = Tensor::Splat<int64_t>(element, {1000}, 100);
    EXPECT_TRUE(CompareOutput(0, drawn, TensorToBytes(any))->accepted) << type << ": " << a << " to " << b;
  }
}

TEST(EvalRandomTest, UnsignedLimitsMayExceedTheSignedRange) {
  const Tensor drawn = Draw("ui8", "UNIFORM", "100", "200", {.bounds = true});
  const Tensor beyond = Tensor::Splat<int64_t>(ElementType::kUi8, {1000}, 255);
  const Tensor within = Tensor::Splat<int64_t>(ElementType::kUi8, {1000}, 199);
  EXPECT_FALSE(CompareOutput(0, drawn, TensorToBytes(beyond))->accepted);
  EXPECT_TRUE(CompareOutput(0, drawn, TensorToBytes(within))->accepted);
}

TEST(EvalRandomTest, NormalNumbersHaveMeanAndDeviation) {
  const std::vector<double> values = Elements<double>(Draw("f64", "NORMAL", "5.0", "2.0"));
  double sum = 0;
  double squares = 0;
  for (const double v : values) {
    sum += v;
    squares += (v - 5) * (v - 5);
  }
  EXPECT_NEAR(sum / 1000, 5, 0.3);
  EXPECT_NEAR(std::sqrt(squares / 1000), 2, 0.2);
}

TEST(EvalRandomTest, TheSeedDecidesTheNumbers) {
  const auto draw = [](uint64_t seed) {
    return Elements<double>(Draw("f32", "UNIFORM", "0.0", "1.0", {.seed = seed}));
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
}

TEST(EvalRandomTest, AnotherGeneratorsNumbersAreAccepted) {
  const Tensor expected = Draw("f32", "UNIFORM", "0.0", "1.0", {.bounds = true, .seed = 1});
  const Tensor other = Draw("f32", "UNIFORM", "0.0", "1.0", {.seed = 2});
  EXPECT_TRUE(CompareOutput(0, expected, TensorToBytes(other))->accepted);
  const Tensor beyond = Tensor::Splat<double>(ElementType::kF32, {1000}, 2.5);
  EXPECT_FALSE(CompareOutput(0, expected, TensorToBytes(beyond))->accepted);
}

TEST(EvalRandomTest, ComparisonsSayThatTheNumbersAreRandom) {
  const Tensor drawn = Draw("f32", "UNIFORM", "0.0", "1.0", {.bounds = true});
  EXPECT_TRUE(CompareOutput(0, drawn, TensorToBytes(drawn))->random);
  const Tensor constant = Tensor::Splat<double>(ElementType::kF32, {4}, 1);
  EXPECT_FALSE(CompareOutput(0, constant, TensorToBytes(constant))->random);
}

TEST(EvalRandomTest, RandomNumbersThatAreMovedStayRandom) {
  const Expected<Values> results = EvaluateText(R"(func.func @main() -> tensor<2xf32> {
    %a = stablehlo.constant dense<0.0> : tensor<f32>
    %b = stablehlo.constant dense<1.0> : tensor<f32>
    %s = stablehlo.constant dense<4> : tensor<1xi64>
    %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
    %1 = stablehlo.slice %0 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  })",
                                                {}, {.bounds = true});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_TRUE((*results)[0].tensor().bound()->random);
}

}  // namespace
}  // namespace opbyop::reference
