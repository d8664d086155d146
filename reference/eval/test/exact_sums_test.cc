// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums whose terms prove that they are exact, and sums that overflow with and without a NaN among their terms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reference/bounds/compare.h"
#include "reference/eval/evaluate_text.h"

namespace opbyop::reference {
namespace {

std::string Sum(const std::string& type, int64_t n) {
  const std::string tensor = "tensor<" + std::to_string(n) + "x" + type + ">";
  const std::string scalar = "tensor<" + type + ">";
  return "func.func @main(%a: " + tensor + ") -> " + scalar + " {\n %z = stablehlo.constant dense<0.0> : " + scalar +
         "\n %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (" + tensor + ", " +
         scalar + ") -> " + scalar + "\n return %0 : " + scalar + "\n}";
}

Tensor SumOf(ElementType type, const std::string& name, const std::vector<double>& terms, EvalOptions options) {
  const auto n = static_cast<int64_t>(terms.size());
  const auto results = EvaluateText(Sum(name, n), {Tensor::Of<double>(type, {n}, terms)}, std::move(options));
  EXPECT_TRUE(results) << (results ? "" : results.error().message);
  return (*results)[0].tensor();
}

bool Accepts(const Tensor& expected, double got) {
  return RatioIfAccepted(expected, TensorToBytes(Tensor::Of<double>(expected.type(), {}, {got}))).has_value();
}

TEST(ExactSumsTest, ASumThatFitsTheSignificandMustBeExact) {
  const std::vector<double> terms(256, 0x1p-8);
  const Tensor sum = SumOf(ElementType::kBf16, "bf16", terms, {.bounds = true});
  EXPECT_TRUE(Accepts(sum, 1));
  EXPECT_FALSE(Accepts(sum, 1 - 0x1p-8));
}

TEST(ExactSumsTest, ASumThatExceedsTheSignificandMayBeRounded) {
  const std::vector<double> terms(258, 0x1p-8);
  EXPECT_TRUE(Accepts(SumOf(ElementType::kBf16, "bf16", terms, {.bounds = true}), 1));
}

TEST(ExactSumsTest, NoSumIsTakenToBeExactIfBoundsAreRelaxed) {
  const std::vector<double> terms(256, 0x1p-8);
  const Tensor sum = SumOf(ElementType::kBf16, "bf16", terms, {.bounds = true, .exact_sums = false});
  EXPECT_TRUE(Accepts(sum, 1 - 0x1p-8));
}

TEST(ExactSumsTest, EachPrefixOfARunningSumOfUnitsIsExact) {
  const std::string text = R"(func.func @main(%a: tensor<300xbf16>) -> tensor<300xbf16> {
    %z = stablehlo.constant dense<0.0> : tensor<bf16>
    %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 300>, padding = dense<[[299, 0]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
      %m = stablehlo.add %x, %y : tensor<bf16>
      stablehlo.return %m : tensor<bf16>
    }) : (tensor<300xbf16>, tensor<bf16>) -> tensor<300xbf16>
    return %0 : tensor<300xbf16>
  })";
  std::vector<double> terms(300);
  for (size_t i = 0; i < terms.size(); ++i) terms[i] = i % 2 == 0 ? 1 : -1;
  const auto results = EvaluateText(text, {Tensor::Of<double>(ElementType::kBf16, {300}, terms)}, {.bounds = true});
  ASSERT_TRUE(results) << (results ? "" : results.error().message);
  EXPECT_TRUE(std::ranges::all_of((*results)[0].tensor().bounds(), [](double b) { return b == 0; }));
}

TEST(ExactSumsTest, ANanReachesTheResultAlthoughOtherTermsOverflow) {
  std::vector<double> terms(20, 60000);
  terms[7] = std::numeric_limits<double>::quiet_NaN();
  const Tensor sum = SumOf(ElementType::kF16, "f16", terms, {.bounds = true});
  EXPECT_TRUE(Accepts(sum, terms[7]));
  EXPECT_FALSE(Accepts(sum, std::numeric_limits<double>::infinity()));
}

TEST(ExactSumsTest, WithoutANanAnOverflowingSumMayBeAnything) {
  const std::vector<double> terms(20, 60000);
  EXPECT_TRUE(Accepts(SumOf(ElementType::kF16, "f16", terms, {.bounds = true}), 7));
}

}  // namespace
}  // namespace opbyop::reference
