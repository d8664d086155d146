// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/answer_range.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/bounds/bound.h"
#include "reference/eval/evaluate_text.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

Tensor Vector(const std::vector<double>& values) { return F32({static_cast<int64_t>(values.size())}, values); }

Tensor WithBound(Tensor t, const std::vector<double>& errors) {
  auto bound = MakeBound(t.size(), "test", 1);
  std::ranges::copy(errors, MutableSpan(*bound).begin());
  t.set_bound(bound);
  return t;
}

Values Evaluate(const std::string& text, Values arguments) {
  return EvaluateText(text, std::move(arguments), {.bounds = true}).value();
}

TEST(AnswerRangeTest, ANanThatMayBeANumberIsUnbounded) {
  AnswerRange answers;
  answers.Add({WithBound(Vector({NAN, NAN}), {kInf, 0})});
  const Values around = answers.Around({Vector({NAN, NAN})}, "of 1");
  EXPECT_EQ(around[0].tensor().bounds()[0], kInf);
  EXPECT_EQ(around[0].tensor().bounds()[1], 0);
}

TEST(AnswerRangeTest, TheBoundIncludesEveryAddedAnswer) {
  AnswerRange answers;
  answers.Add({Vector({1, 2, 3, NAN, NAN, 1})});
  answers.Add({WithBound(Vector({1, 2.5, 1, NAN, 1, kInf}), {0, 0.25, 0, 0, 0, 0})});
  const Values around = answers.Around({Vector({1, 2, 3, NAN, NAN, 1})}, "of 2");
  const std::vector<double> want = {0, 0.75, 2, 0, kInf, kInf};
  for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(around[0].tensor().bounds()[i], want[i]) << i;
  EXPECT_EQ(around[0].tensor().bound()->rule, "of 2");
}

TEST(AnswerRangeTest, ElementsEqualInAllAnswersStayBitExact) {
  AnswerRange answers;
  const Tensor t = Tensor::Of<int64_t>(ElementType::kI64, {2}, {1, std::numeric_limits<int64_t>::max()});
  answers.Add({t});
  answers.Add({t});
  EXPECT_EQ(answers.Around({t}, "of 2")[0].tensor().bound(), nullptr);
}

// Halves x until it is at most 1, and counts.
const char* kHalving = R"(func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%a = %x, %n = %zero) : tensor<f32>, tensor<i32>
  cond {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %c = stablehlo.compare GT, %a, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %half = stablehlo.constant dense<0.5> : tensor<f32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %b = stablehlo.multiply %a, %half : tensor<f32>
    %m = stablehlo.add %n, %one : tensor<i32>
    stablehlo.return %b, %m : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
})";

Tensor Scalar(double v, double error) { return WithBound(Tensor::Splat<double>(ElementType::kF32, {}, v), {error}); }

TEST(LoopTest, ADecidedConditionCountsTripsExactly) {
  const Values results = Evaluate(kHalving, {Scalar(7, 0.25)});
  EXPECT_EQ(results[0].tensor().data<double>()[0], 0.875);
  EXPECT_EQ(results[1].tensor().IntegerAt(0), 3);
  EXPECT_EQ(results[1].tensor().bound(), nullptr);
}

// 8 +- 1/4 halved three times is 1 +- 1/32: the reference leaves the loop, a device may halve once more.
TEST(LoopTest, ADeviceMayRunMoreTripsThanTheReference) {
  const Values results = Evaluate(kHalving, {Scalar(8, 0.25)});
  EXPECT_EQ(results[1].tensor().IntegerAt(0), 3);
  ASSERT_EQ(results[1].tensor().bounds().size(), 1u);
  EXPECT_EQ(results[1].tensor().bounds()[0], 1);
  EXPECT_GE(results[0].tensor().bounds()[0], 0.5);
  EXPECT_LT(results[0].tensor().bounds()[0], 0.6);
  EXPECT_NE(results[0].tensor().bound()->rule.find("3 to 4 trips"), std::string::npos);
}

// 8.1 +- 1/4: the reference halves four times, a device may leave after three.
TEST(LoopTest, ADeviceMayRunFewerTripsThanTheReference) {
  const Values results = Evaluate(kHalving, {Scalar(static_cast<float>(8.1), 0.25)});
  EXPECT_EQ(results[1].tensor().IntegerAt(0), 4);
  EXPECT_EQ(results[1].tensor().bounds()[0], 1);
  EXPECT_GE(results[0].tensor().bounds()[0], 8.1 / 8 - 8.1 / 16);
}

TEST(LoopTest, AnUndecidedConditionAllowsTheResultsOfBothBranches) {
  const char* text = R"(func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %c = stablehlo.compare GT, %x, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %0 = "stablehlo.if"(%c) ({
      %y = stablehlo.constant dense<5.0> : tensor<f32>
      stablehlo.return %y : tensor<f32>
    }, {
      %y = stablehlo.constant dense<7.0> : tensor<f32>
      stablehlo.return %y : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    return %0 : tensor<f32>
  })";
  EXPECT_EQ(Evaluate(text, {Scalar(2, 0.5)})[0].tensor().bound(), nullptr);
  const Values open = Evaluate(text, {Scalar(1.25, 0.5)});
  EXPECT_EQ(open[0].tensor().data<double>()[0], 5);
  EXPECT_EQ(open[0].tensor().bounds()[0], 2);
}

// `false and undecided` is false, `true or undecided` is true.
TEST(LoopTest, OneOperandMayDecideALogicalOp) {
  const char* text = R"(func.func @main(%x: tensor<4xf32>, %p: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>) {
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    %c = stablehlo.compare GT, %x, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %0 = stablehlo.and %c, %p : tensor<4xi1>
    %1 = stablehlo.or %c, %p : tensor<4xi1>
    return %0, %1 : tensor<4xi1>, tensor<4xi1>
  })";
  const Tensor x = WithBound(Vector({1, 1, 2, 2}), {0.5, 0.5, 0.5, 0.5});
  const Tensor p = Tensor::Of<uint8_t>(ElementType::kI1, {4}, {0, 1, 0, 1});
  const Values results = Evaluate(text, {x, p});
  const std::vector<double> conjunction = {0, 1, 0, 0};
  const std::vector<double> disjunction = {1, 0, 0, 0};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(results[0].tensor().bounds()[i], conjunction[i]) << i;
    EXPECT_EQ(results[1].tensor().bounds()[i], disjunction[i]) << i;
  }
}

}  // namespace
}  // namespace opbyop::reference
