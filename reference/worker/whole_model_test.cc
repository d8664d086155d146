// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/whole_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/bounds/bound.h"
#include "reference/bounds/compare.h"
#include "reference/tensor/special_values.h"
#include "reference/worker/output_judge.h"

namespace opbyop::reference {
namespace {

using testing::Each;
using testing::HasSubstr;

class ModelInputsTest : public testing::Test {
 protected:
  ModelInputsTest() : context_(mlir::MLIRContext::Threading::DISABLED) {}

  std::vector<Tensor> Draw(const std::string& text, const std::vector<InputRange>& ranges = {},
                           InputKind kind = InputKind::kDomain) {
    module_ = *ReadModuleFromBytes(text, "test.mlir", context_);
    std::vector<Tensor> tensors;
    const auto inputs = MakeModelInputs(*module_, kind, 7, ranges);
    for (const InputData& input : *inputs) tensors.push_back(*TensorFromBytes(input.type, input.shape, input.bytes));
    return tensors;
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

constexpr const char* kLayer = R"(func.func @main(%x: tensor<2x300xf32>, %w: tensor<300x300xf32>) -> tensor<2x300xf32> {
  %0 = stablehlo.transpose %w, dims = [1, 0] : (tensor<300x300xf32>) -> tensor<300x300xf32>
  %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0]
      : (tensor<2x300xf32>, tensor<300x300xf32>) -> tensor<2x300xf32>
  return %1 : tensor<2x300xf32>
})";

double Greatest(const Tensor& t) {
  double most = 0;
  for (const double v : t.data<double>()) most = std::max(most, std::fabs(v));
  return most;
}

TEST_F(ModelInputsTest, MatricesKeepTheVarianceOfTheOtherOperand) {
  const std::vector<Tensor> inputs = Draw(kLayer);
  EXPECT_NEAR(Greatest(inputs[1]), std::sqrt(3.0 / 300), 1e-3);
  EXPECT_NEAR(Greatest(inputs[0]), 1, 1e-1) << "what is multiplied is not scaled";
}

TEST_F(ModelInputsTest, AModelGetsInputsWithWhichItCanBeRun) {
  module_ = *ReadModuleFromBytes(R"(func.func @main(%n: tensor<i32>) -> tensor<i32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %zero, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%0) {error_message = "n > 0", has_side_effect = true} : (tensor<i1>) -> ()
    return %n : tensor<i32>
  })",
                                 "test.mlir", context_);
  int again = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const auto drawn = GenerateModelInputs(*module_, InputKind::kDomain, "model", seed, {InputRange({-5, 2})});
    if (!drawn->unfit.empty()) continue;
    EXPECT_GT(TensorFromBytes(ElementType::kI32, {}, drawn->inputs[0].bytes)->IntegerAt(0), 0);
    again += drawn->note.empty() ? 0 : 1;
  }
  EXPECT_GT(again, 0);
}

// The layers of a model in a loop, as JAX writes a scan: a function takes each trip's matrix.
TEST_F(ModelInputsTest, MatricesOfALoopAreScaledToo) {
  const std::vector<Tensor> inputs = Draw(
      R"(func.func private @layer(%w: tensor<2x300x300xf32>, %i: tensor<i32>) -> (tensor<f32>, tensor<300x300xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %e = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.dynamic_slice %w, %i, %zero, %zero, sizes = [1, 300, 300]
        : (tensor<2x300x300xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x300x300xf32>
    %t = stablehlo.reshape %s : (tensor<1x300x300xf32>) -> tensor<300x300xf32>
    return %e, %t : tensor<f32>, tensor<300x300xf32>
  }
  func.func @main(%x: tensor<2x300xf32>, %w: tensor<2x300x300xf32>, %v: tensor<2x300x300xf32>) -> tensor<2x300xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %r:4 = stablehlo.while(%wi = %w, %i = %zero, %c = %x, %vi = %v)
        : tensor<2x300x300xf32>, tensor<i32>, tensor<2x300xf32>, tensor<2x300x300xf32>
      cond {
        %p = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %m:2 = func.call @layer(%wi, %i) : (tensor<2x300x300xf32>, tensor<i32>) -> (tensor<f32>, tensor<300x300xf32>)
        %d = stablehlo.dot_general %c, %m#1, contracting_dims = [1] x [0]
            : (tensor<2x300xf32>, tensor<300x300xf32>) -> tensor<2x300xf32>
        %n:2 = func.call @layer(%vi, %i) : (tensor<2x300x300xf32>, tensor<i32>) -> (tensor<f32>, tensor<300x300xf32>)
        %j = stablehlo.add %i, %two : tensor<i32>
        stablehlo.return %wi, %j, %d, %vi : tensor<2x300x300xf32>, tensor<i32>, tensor<2x300xf32>, tensor<2x300x300xf32>
      }
    return %r#2 : tensor<2x300xf32>
  })");
  EXPECT_NEAR(Greatest(inputs[1]), std::sqrt(3.0 / 300), 1e-3);
  EXPECT_NEAR(Greatest(inputs[0]), 1, 1e-1) << "the left operand";
  EXPECT_GT(Greatest(inputs[2]), 1) << "what another call of the function gets";
}

TEST_F(ModelInputsTest, ExactIntegersAreNotScaled) {
  const std::vector<Tensor> inputs = Draw(kLayer, {}, InputKind::kExactInt);
  for (const double v : inputs[1].data<double>()) EXPECT_EQ(v, std::rint(v));
}

TEST_F(ModelInputsTest, OnlyInputsOtherThanWeightsHaveSpecialValues) {
  const std::vector<Tensor> plain = Draw(kLayer);
  const std::vector<Tensor> edge = Draw(kLayer, {}, InputKind::kEdge);
  EXPECT_NE(TensorToBytes(edge[0]), TensorToBytes(plain[0]));
  EXPECT_EQ(TensorToBytes(edge[1]), TensorToBytes(plain[1]));
}

TEST_F(ModelInputsTest, UnderEveryPolicyIntegersLieInTheStatedRange) {
  for (const InputKind kind : {InputKind::kEdge, InputKind::kSparse, InputKind::kSweep}) {
    const std::vector<Tensor> inputs = Draw(R"(func.func @main(%i: tensor<100xi32>) -> tensor<100xi32> {
      return %i : tensor<100xi32>
    })",
                                            {InputRange({3, 5})}, kind);
    EXPECT_THAT(inputs[0].Integers(), Each(testing::AllOf(testing::Ge(3), testing::Le(5))));
  }
}

TEST_F(ModelInputsTest, IntegersLieInTheStatedRange) {
  const std::vector<Tensor> inputs = Draw(R"(func.func @main(%i: tensor<100xi32>) -> tensor<100xi32> {
    return %i : tensor<100xi32>
  })",
                                          {InputRange({3, 5})});
  const std::vector<int64_t> values = inputs[0].Integers();
  EXPECT_THAT(values, Each(testing::AllOf(testing::Ge(3), testing::Le(5))));
  EXPECT_THAT(values, testing::Contains(5));
}

TEST_F(ModelInputsTest, CriterionFollowsTheNarrowestFloat) {
  Draw(kLayer);
  EXPECT_EQ(CriterionOf(*module_).share, 1e-3);
  Draw(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xbf16>
    %1 = stablehlo.convert %0 : (tensor<2xbf16>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  })");
  EXPECT_EQ(CriterionOf(*module_).share, 0.05);
}

// Judges the values 0 to 9, changed by `change`, with the same bound for all.
Comparison Judge(double bound, const std::function<void(std::vector<double>&)>& change, double factor = 1) {
  std::vector<double> values;
  for (int i = 0; i < 10; ++i) values.push_back(i);
  Tensor expected = Tensor::Of<double>(ElementType::kF32, {10}, values);
  auto all = MakeBound(10, "propagated over 9 ops", 9);
  std::ranges::fill(MutableSpan(*all), bound);
  expected.set_bound(all);
  change(values);
  const std::vector<std::byte> bytes = TensorToBytes(Tensor::Of<double>(ElementType::kF32, {10}, values));
  Comparison c = *CompareOutput(0, expected, bytes, {.factor = factor});
  JudgeWholeModel(expected, bytes, {}, factor, c);
  return c;
}

TEST(JudgeWholeModelTest, ANarrowBoundDecidesAlone) {
  const Comparison good = Judge(0.009, [](auto& v) { v[3] += 0.0089; });
  EXPECT_TRUE(good.accepted);
  EXPECT_FALSE(good.weak);
  EXPECT_EQ(good.rule, "propagated over 9 ops");
  EXPECT_NEAR(good.range_error, 0.0089 / 9, 1e-6);
  EXPECT_FALSE(Judge(0.009, [](auto& v) { v[3] += 0.0095; }).accepted);
}

TEST(JudgeWholeModelTest, ABoundThatAdmitsAnythingDoesNotDecide) {
  const Comparison good = Judge(kInf, [](auto& v) { v[3] += 0.005; });
  EXPECT_TRUE(good.accepted);
  EXPECT_TRUE(good.weak);
  EXPECT_THAT(good.rule, HasSubstr("weak: error <= 0.001 of 9, the largest value that it depends on, at 10 of 10 "
                                   "elements, whose bound (propagated over 9 ops) says nothing"));
  const Comparison bad = Judge(kInf, [](auto& v) { v[3] += 0.1; });
  EXPECT_FALSE(bad.accepted);
  EXPECT_GE(bad.mismatches, 1);
}

TEST(JudgeWholeModelTest, TheWorstElementsOfAnUnboundedOutputAreTheWrongOnes) {
  const Comparison c = Judge(kInf, [](auto& v) {
    v[0] += 1e-6;
    v[3] += 0.01;
    v[7] += 0.5;
  });
  ASSERT_GE(c.worst.size(), 3u);
  EXPECT_THAT(c.worst[0].index, testing::ElementsAre(7));
  EXPECT_NEAR(c.worst[0].bound_ratio, 0.5 / 0.009, 1e-3);
  EXPECT_THAT(c.worst[1].index, testing::ElementsAre(3));
  EXPECT_THAT(c.worst[2].index, testing::ElementsAre(0));
  EXPECT_THAT(Judge(kInf, [](auto& v) { v[5] = std::nan(""); }).worst[0].index, testing::ElementsAre(5));
}

TEST(JudgeWholeModelTest, ValuesInAnotherOrderFailWeakly) {
  EXPECT_FALSE(Judge(1000, [](auto& v) { std::ranges::reverse(v); }).accepted);
}

TEST(JudgeWholeModelTest, NanInPlaceOfANumberFailsUnderAnInfiniteBound) {
  EXPECT_FALSE(Judge(kInf, [](auto& v) { v[0] = std::nan(""); }).accepted);
  EXPECT_FALSE(Judge(kInf, [](auto& v) { v[0] = kInf; }).accepted);
}

TEST(JudgeWholeModelTest, AnElementBeyondItsBoundIsWrongHoweverWideTheBoundIs) {
  const Comparison c = Judge(0.5, [](auto& v) { v[9] += 0.6; });
  EXPECT_FALSE(c.accepted);
  EXPECT_EQ(c.mismatches, 1);
}

TEST(JudgeWholeModelTest, AConstantExpectationNeedsNoCorrelation) {
  Tensor expected = Tensor::Of<double>(ElementType::kF32, {1}, {2});
  auto bound = MakeBound(1, "propagated over 9 ops", 9);
  MutableSpan(*bound)[0] = kInf;
  expected.set_bound(bound);
  const std::vector<std::byte> bytes = TensorToBytes(Tensor::Of<double>(ElementType::kF32, {1}, {2.0001}));
  Comparison c = *CompareOutput(0, expected, bytes, {});
  JudgeWholeModel(expected, bytes, {}, 1, c);
  EXPECT_TRUE(c.weak);
  EXPECT_TRUE(c.accepted);
}

// An output whose elements all have the same bound.
struct Output {
  std::vector<double> values;
  double bound = kInf;
  Provenance provenance;
};

Comparison JudgeOne(const Output& want, const std::vector<double>& got) {
  const auto size = static_cast<int64_t>(want.values.size());
  Tensor expected = Tensor::Of<double>(ElementType::kF32, {size}, want.values);
  auto bound = MakeBound(size, "propagated over 9 ops", 9);
  std::ranges::fill(MutableSpan(*bound), want.bound);
  expected.set_bound(bound);
  expected.set_provenance(want.provenance);
  const std::vector<std::byte> bytes = TensorToBytes(Tensor::Of<double>(ElementType::kF32, {size}, got));
  Comparison c = *CompareOutput(0, expected, bytes, {});
  JudgeWholeModel(expected, bytes, {}, 1, c);
  return c;
}

TEST(JudgeWholeModelTest, AFiniteBoundDecidesAloneIfTheOutputIsConstantUpToRounding) {
  const Comparison c = JudgeOne({{1, 1.0000001, 1}, 1e-5}, {1.000001, 1, 1.000001});
  EXPECT_TRUE(c.accepted);
  EXPECT_FALSE(c.weak);
  EXPECT_GT(c.range_error, 1) << "reported, and nothing decides by it";
}

TEST(JudgeWholeModelTest, AWideBoundDecidesButIsWeak) {
  const Comparison c = JudgeOne({{0.9, -0.7}, 2}, {-0.9, 0.7});
  EXPECT_TRUE(c.accepted) << "the sine of a large number that has an error may be any";
  EXPECT_TRUE(c.weak);
}

TEST(JudgeWholeModelTest, TheScaleIsThatOfTheValuesThatTheOutputDependsOn) {
  EXPECT_TRUE(JudgeOne({{1e-8, -1e-8}, kInf, {.scale = 3}}, {1e-7, 1e-7}).accepted);
  EXPECT_FALSE(JudgeOne({{1e-8, -1e-8}, kInf, {.scale = 3}}, {1e-2, 1e-7}).accepted);
}

// A program that amplifies its roundings: the output moves by 8 % of its size if they go toward zero.
TEST(JudgeWholeModelTest, TheCriterionIsWiderWhereRoundingsAloneMoveTheOutput) {
  Tensor expected = Tensor::Make(ElementType::kBf16, {3});
  Tensor rounded = expected;
  std::ranges::copy(std::vector<double>{1, -0.5, 0.25}, expected.Mutable<double>().begin());
  std::ranges::copy(std::vector<double>{0.9375, -0.5, 0.171875}, rounded.Mutable<double>().begin());
  auto bound = MakeBound(3, "propagated over 99 ops", 99);
  std::ranges::fill(MutableSpan(*bound), kInf);
  expected.set_bound(std::move(bound));
  const auto judge = [&](const std::vector<double>& values, bool knows_roundings) {
    Tensor got = expected;
    std::ranges::copy(values, got.Mutable<double>().begin());
    AlternativeResults others({{"rounded toward zero", {}}}, [&](const Alternative&) { return Values{rounded}; });
    return *JudgeOutput(0, expected, {3}, TensorToBytes(got),
                        {.weak = WeakCriterionOf(8), .rounded = knows_roundings ? &others : nullptr});
  };
  EXPECT_FALSE(judge({1, -0.5, 0.375}, false).accepted) << "12.5 % instead of 5 %";
  const Comparison wider = judge({1, -0.5, 0.375}, true);
  EXPECT_TRUE(wider.accepted) << wider.rule;
  EXPECT_TRUE(wider.weak);
  EXPECT_THAT(wider.rule, HasSubstr("error <= 0.15625 of 1, "));
  EXPECT_THAT(wider.rule, HasSubstr("0.15625 instead of 0.05"));
  EXPECT_FALSE(judge({1, -0.5, 0.5}, true).accepted) << "25 %";
  EXPECT_FALSE(judge({1.125, -0.625, 0.375}, true).accepted) << "many elements are off";
  rounded.Mutable<double>()[2] = 4;
  EXPECT_FALSE(judge({1, -0.5, -0.5}, true).accepted) << "never more than a half";
}

TEST(JudgeWholeModelTest, AnInfinityMatchesTheSameInfinity) {
  const Comparison c = JudgeOne({{1, -kInf, 2}, kInf}, {1, -kInf, 2});
  EXPECT_TRUE(c.accepted);
  EXPECT_FALSE(std::isnan(c.pcc));
  EXPECT_FALSE(JudgeOne({{1, -kInf, 2}, kInf}, {1, kInf, 2}).accepted);
}

TEST(JudgeWholeModelTest, ElementsThatTheSpecificationLeavesOpenAreRight) {
  const Comparison c = JudgeOne({{1, 2}, kInf, {.open = true}}, {7, 9});
  EXPECT_TRUE(c.accepted);
  EXPECT_FALSE(c.weak) << "nothing judged it";
  EXPECT_EQ(c.unbounded, 2);
}

}  // namespace
}  // namespace opbyop::reference
