// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/random_order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reference/eval/evaluate_text.h"
#include "reference/tensor/counter_stream.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kTerms = 2048;

Tensor Drawn(Shape shape) {
  const CounterStream stream(7);
  Tensor t = Tensor::Make(ElementType::kF32, std::move(shape));
  uint64_t i = 0;
  for (double& v : t.Mutable<double>()) v = static_cast<float>(2 * stream.Unit(i++) - 1);
  return t;
}

// The bounds of a program of two operands of 4 x 2048 and 2048 x 4, whose result is 4 x 4.
std::vector<double> BoundsOf(const std::string& body, bool likely) {
  const std::string text = fmt::format(
      "func.func @main(%a: tensor<4x2048xf32>, %b: tensor<2048x4xf32>) -> tensor<4x4xf32> {{\n{}\n"
      "  return %r : tensor<4x4xf32>\n}}",
      body);
  const Expected<Values> results = EvaluateText(text, {Drawn({4, kTerms}), Drawn({kTerms, 4})},
                                                {.bounds = true, .deviations = true, .likely = likely});
  EXPECT_TRUE(results) << (results ? "" : results.error().message);
  const std::span<const double> bounds = (*results)[0].tensor().bounds();
  return {bounds.begin(), bounds.end()};
}

// How much narrower the likely bounds are than those of the worst case, at least.
double Gain(const std::string& body) {
  const std::vector<double> worst = BoundsOf(body, false);
  const std::vector<double> likely = BoundsOf(body, true);
  double gain = 1e300;
  for (size_t i = 0; i < worst.size(); ++i) gain = std::min(gain, worst[i] / likely[i]);
  return gain;
}

std::string Product(const char* lhs, const char* result) {
  return fmt::format(
      "  %{} = stablehlo.dot_general %{}, %b, contracting_dims = [1] x [0] : (tensor<4x2048xf32>, tensor<2048x4xf32>) "
      "-> tensor<4x4xf32>\n",
      result, lhs);
}

TEST(LikelyBoundsTest, ASumHasTheErrorThatTheSecondCriterionAllows) { EXPECT_GT(Gain(Product("a", "r")), 5); }

TEST(LikelyBoundsTest, AnOpBehindASumInheritsItsLikelyError) {
  EXPECT_GT(Gain(Product("a", "p") + "  %r = stablehlo.transpose %p, dims = [1, 0] : (tensor<4x4xf32>) -> "
                                     "tensor<4x4xf32>"),
            5);
  EXPECT_GT(Gain(Product("a", "p") + "  %r = stablehlo.sine %p : tensor<4x4xf32>"), 5);
}

TEST(LikelyBoundsTest, ASumOfInexactOperandsHasItsOwnLikelyErrorBesideTheirs) {
  const std::string sines = "  %s = stablehlo.sine %a : tensor<4x2048xf32>\n" + Product("s", "r");
  EXPECT_GT(Gain(sines), 5);
  const std::vector<double> plain = BoundsOf(Product("a", "r"), true), inexact = BoundsOf(sines, true);
  for (size_t i = 0; i < plain.size(); ++i) EXPECT_GT(inexact[i], plain[i]);
}

TEST(LikelyBoundsTest, AnOpWithoutASumKeepsItsBound) {
  EXPECT_EQ(Gain("  %s = stablehlo.slice %a [0:4, 0:4] : (tensor<4x2048xf32>) -> tensor<4x4xf32>\n"
                 "  %e = stablehlo.exponential %s : tensor<4x4xf32>\n"
                 "  %r = stablehlo.tanh %e : tensor<4x4xf32>"),
            1);
}

// Sorted numbers have partial sums that are far greater than those of a random order.
TEST(LikelyBoundsTest, ASumOfInexactNumbersInAnOrderKeepsItsWorstCase) {
  EXPECT_LT(Gain(R"(  %s = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = false}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<4x2048xf32>) -> tensor<4x2048xf32>
    %e = stablehlo.exponential %s : tensor<4x2048xf32>
)" + Product("e", "r")),
            1.001);
}

}  // namespace
}  // namespace opbyop::reference
