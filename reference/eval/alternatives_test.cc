// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/alternatives.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>

#include "reference/eval/evaluate_text.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

// Evaluates an op of two tensors of a type in each alternative way. Returns the elements of the result for each way.
std::vector<std::vector<double>> ByEachWay(const std::string& op, const std::string& type, const Arithmetic& declared,
                                           const Values& arguments) {
  const std::string text = "func.func @main(%a: " + type + ", %b: " + type + ") -> " + type + " {\n%0 = " + op +
                           " %a, %b : " + type + "\nreturn %0 : " + type + "\n}";
  std::vector<std::vector<double>> results;
  for (const Alternative& way : AlternativesOf(declared, {.bounds = true})) {
    results.push_back(Elements<double>(EvaluateText(text, arguments, way.options).value()[0].tensor()));
  }
  return results;
}

Tensor Of(ElementType type, std::vector<double> values) {
  Tensor t = Tensor::Make(type, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, t.Mutable<double>().begin());
  return t;
}

TEST(AlternativesTest, ThereAreNoneWithoutADeclaration) { EXPECT_TRUE(AlternativesOf({}, {}).empty()); }

TEST(AlternativesTest, StoresTowardZeroTruncateResults) {
  const auto ways = ByEachWay(
      "stablehlo.add", "tensor<4xbf16>", {.stores_toward_zero = true},
      {Of(ElementType::kBf16, {1, -1, 1, 0x1.FEp127}), Of(ElementType::kBf16, {0x1.8p-8, -0x1.8p-8, 2, 0x1.FEp119})});
  ASSERT_EQ(ways.size(), 1);
  EXPECT_EQ(ways[0], (std::vector<double>{1, -1, 3, 0x1.FEp127})) << "to nearest: 1 + 2^-7, its negative, 3, infinity";
}

TEST(AlternativesTest, ValuesBeyondF32AreInfiniteBeforeTheyAreStored) {
  const auto ways = ByEachWay("stablehlo.multiply", "tensor<2xbf16>", {.stores_toward_zero = true},
                              {Of(ElementType::kBf16, {0x1p100, -0x1p100}), Of(ElementType::kBf16, {0x1p100, 0x1p28})});
  EXPECT_EQ(ways[0], (std::vector<double>{kInf, -kInf}));
}

TEST(AlternativesTest, F32IsStoredWithoutRounding) {
  const auto ways =
      ByEachWay("stablehlo.add", "tensor<1xf32>", {.stores_toward_zero = true}, {F32({1}, {1}), F32({1}, {0x1.8p-24})});
  EXPECT_EQ(ways[0][0], 1 + 0x1p-23);
}

TEST(AlternativesTest, TwoDeclarationsGiveThreeWays) {
  const auto ways =
      ByEachWay("stablehlo.multiply", "tensor<1xbf16>", {.stores_toward_zero = true, .flushes = {.results = true}},
                {Of(ElementType::kBf16, {0x1.02p-70}), Of(ElementType::kBf16, {0x1.02p-60})});
  ASSERT_EQ(ways.size(), 3);
  EXPECT_EQ(ways[0][0], 0);
  EXPECT_EQ(ways[1][0], 0x1p-130) << "2^-130 times 1 + 2^-6 + 2^-14 keeps three bits";
  EXPECT_EQ(ways[2][0], 0);
}

TEST(AlternativesTest, OnlyLikelyWaysHaveDeviations) {
  const Arithmetic declared{.stores_toward_zero = true};
  EXPECT_FALSE(AlternativesOf(declared, {.deviations = true})[0].options.deviations);
  EXPECT_TRUE(AlternativesOf(declared, {.deviations = true, .likely = true})[0].options.deviations);
}

TEST(AlternativesTest, EachWayIsEvaluatedOnceAndOnlyIfAsked) {
  int evaluations = 0;
  AlternativeResults results(AlternativesOf({.stores_toward_zero = true}, {}), [&](const Alternative&) {
    ++evaluations;
    return Values{F32({1}, {7}), F32({1}, {8})};
  });
  EXPECT_FALSE(results.evaluated());
  EXPECT_EQ(results.Output(0, 1).value().data<double>()[0], 8);
  EXPECT_EQ(results.Output(0, 0).value().data<double>()[0], 7);
  EXPECT_TRUE(results.evaluated());
  EXPECT_EQ(evaluations, 1);
}

TEST(AlternativesTest, LargeResultsAreKeptInStoredForm) {
  constexpr int64_t count = int64_t{1} << 20;
  int evaluated = 0;
  AlternativeResults ways(AlternativesOf({.stores_toward_zero = true}, {}),
                          [&](const Alternative&) -> Expected<Values> {
                            ++evaluated;
                            Tensor large = Tensor::Splat(ElementType::kBf16, {count}, 0x1p-130);
                            large.Mutable<double>()[1] = -0.0;
                            large.Mutable<double>()[2] = kInf;
                            large.Mutable<double>()[3] = kNan;
                            auto bound = std::make_shared<Bound>();
                            bound->rule = "a rule";
                            large.set_bound(std::move(bound));
                            large.set_provenance({.scale = 3});
                            return Values{std::move(large), F32({1}, {5})};
                          });
  for (int time = 0; time < 2; ++time) {
    const Tensor large = ways.Output(0, 0).value();
    ASSERT_NE(large.stored(), nullptr);
    EXPECT_EQ(large.data<double>()[0], 0x1p-130);
    EXPECT_TRUE(std::signbit(large.data<double>()[1]));
    EXPECT_EQ(large.data<double>()[2], kInf);
    EXPECT_TRUE(std::isnan(large.data<double>()[3]));
    EXPECT_EQ(large.bound()->rule, "a rule");
    EXPECT_EQ(large.provenance().scale, 3);
    EXPECT_EQ(ways.Output(0, 1).value().stored(), nullptr);
  }
  EXPECT_EQ(evaluated, 1);
}

}  // namespace
}  // namespace opbyop::reference
