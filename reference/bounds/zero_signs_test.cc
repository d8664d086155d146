// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/bounds/zero_signs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "reference/bounds/compare.h"
#include "reference/eval/evaluate_text.h"
#include "reference/eval/flushing.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

// The elements of the first result that may have the other sign.
std::vector<int64_t> OpenZeros(const std::string& text, Values arguments, EvalOptions options = {.bounds = true}) {
  const Expected<Values> results = EvaluateText(text, std::move(arguments), std::move(options));
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
  const Tensor& expected = (*results)[0].tensor();
  Tensor negated = expected;
  for (double& value : negated.Mutable<double>()) value = value == 0 ? -value : value;
  const std::vector<std::byte> bytes = TensorToBytes(negated);
  const std::vector<int64_t> refused = RefusedElements(expected, bytes);
  EXPECT_EQ(CompareOutput(0, expected, bytes)->mismatches, static_cast<int64_t>(refused.size()));
  EXPECT_EQ(RatioIfAccepted(expected, bytes).has_value(), refused.empty());
  EXPECT_EQ(ErrorsIfAccepted(expected, bytes).has_value(), refused.empty());
  std::vector<int64_t> open;
  for (int64_t i = 0; i < expected.size(); ++i) {
    if (expected.data<double>()[static_cast<size_t>(i)] == 0 && !std::ranges::binary_search(refused, i)) {
      open.push_back(i);
    }
  }
  return open;
}

std::string Binary(const std::string& op) {
  return "func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo." + op +
         " %a, %b : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}";
}

using Places = std::vector<int64_t>;

TEST(ZeroSignsTest, AMaximumMayReturnEitherOfTwoZerosAndNoOtherZero) {
  EXPECT_EQ(OpenZeros(Binary("maximum"), {F32({4}, {-0.0, -0.0, -3, 0.0}), F32({4}, {0.0, -0.0, -0.0, -0.0})}),
            (Places{0, 3}));
}

TEST(ZeroSignsTest, AMinimumMayReturnEitherOfTwoZerosAndNoOtherZero) {
  EXPECT_EQ(OpenZeros(Binary("minimum"), {F32({4}, {-0.0, 0.0, 3, 0.0}), F32({4}, {0.0, 0.0, -0.0, -0.0})}),
            (Places{0, 3}));
}

TEST(ZeroSignsTest, AClampMayReturnAZeroOrALimitThatIsTheOtherZero) {
  EXPECT_EQ(OpenZeros(R"(func.func @main(%l: tensor<f32>, %a: tensor<4xf32>, %h: tensor<f32>) -> tensor<4xf32> {
    %0 = stablehlo.clamp %l, %a, %h : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })",
                      {F32({}, {-0.0}), F32({4}, {0.0, -0.0, -3, 3}), F32({}, {6})}),
            (Places{0}));
}

std::string Reduction(const std::string& op) {
  return R"(func.func @main(%a: tensor<3x4xf32>, %i: tensor<f32>) -> tensor<3xf32> {
    %0 = stablehlo.reduce(%a init: %i) applies stablehlo.)" +
         op + R"( across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  })";
}

TEST(ZeroSignsTest, ALineWithZerosOfOneSignHasItsMaximumFixed) {
  const Tensor lines = F32({3, 4}, {-1, -0.0, -2, -0.0, -0.0, -1, 0.0, -5, 0.0, -1, -1, -1});
  EXPECT_EQ(OpenZeros(Reduction("maximum"), {lines, F32({}, {-kInf})}), (Places{1}));
  EXPECT_EQ(OpenZeros(Reduction("maximum"), {lines, F32({}, {0.0})}), (Places{0, 1})) << "the initial value is a term";
}

TEST(ZeroSignsTest, AWindowWithZerosOfOneSignHasItsMaximumFixed) {
  EXPECT_EQ(OpenZeros(R"(func.func @main(%a: tensor<5xf32>, %i: tensor<f32>) -> tensor<4xf32> {
    %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %m = stablehlo.maximum %x, %y : tensor<f32>
        stablehlo.return %m : tensor<f32>
    }) : (tensor<5xf32>, tensor<f32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })",
                      {F32({5}, {-1, -0.0, -0.0, 0.0, -2}), F32({}, {-kInf})}),
            (Places{2}));
}

TEST(ZeroSignsTest, AZeroWithAnOpenSignStaysOpenInTheNextChoice) {
  EXPECT_EQ(OpenZeros(R"(func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.maximum %a, %b : tensor<2xf32>
    %1 = stablehlo.maximum %0, %c : tensor<2xf32>
    return %1 : tensor<2xf32>
  })",
                      {F32({2}, {0.0, 0.0}), F32({2}, {-0.0, -1}), F32({2}, {-7, -7})}),
            (Places{0}));
}

TEST(ZeroSignsTest, EveryZeroIsOpenOnceElementsHaveMoved) {
  EXPECT_EQ(OpenZeros(R"(func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.maximum %a, %b : tensor<2xf32>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<2xf32>
    return %1 : tensor<2xf32>
  })",
                      {F32({2}, {0.0, 0.0}), F32({2}, {-0.0, -1})}),
            (Places{0, 1}));
}

TEST(ZeroSignsTest, AFlushedOperandLeavesTheSignOpen) {
  EXPECT_EQ(OpenZeros(Binary("maximum"), {F32({4}, {-0x1p-140, -0.0, -3, 0.0}), F32({4}, {-1, -1, -1, -1})},
                      Flushing({.bounds = true})),
            (Places{0, 1, 3}));
}

TEST(ZeroSignsTest, AZeroThatIsTakenFromAnotherWayKeepsItsOpenSign) {
  const Values arguments = {F32({4}, {-0x1p-140, -0.0, -3, 1}), F32({4}, {0.0, -1, -1, -1})};
  const Expected<Values> plain = EvaluateText(Binary("maximum"), arguments, {.bounds = true});
  const Expected<Values> flushed = EvaluateText(Binary("maximum"), arguments, Flushing({.bounds = true}));
  ASSERT_TRUE(plain && flushed);
  const std::vector<std::byte> bytes = TensorToBytes(F32({4}, {-0.0, -0.0, -1, 1}));
  int64_t taken = 0;
  const Tensor merged = TakeWhereRefused((*plain)[0].tensor(), (*flushed)[0].tensor(), bytes, taken);
  EXPECT_EQ(taken, 1);
  EXPECT_TRUE(CompareOutput(0, merged, bytes)->accepted);
}

}  // namespace
}  // namespace opbyop::reference
