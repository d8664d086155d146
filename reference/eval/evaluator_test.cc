// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference/eval/evaluate_text.h"
#include "reference/eval/test/one_result.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

using testing::ElementsAre;

std::string Binary(const std::string& op, const std::string& type) {
  return "func.func @main(%a: " + type + ", %b: " + type + ") -> " + type + " {\n  %0 = stablehlo." + op +
         " %a, %b : " + type + "\n  return %0 : " + type + "\n}\n";
}

TEST(EvaluatorTest, AdditionRoundsOnceToTheElementType) {
  const Tensor t = OneResult(Binary("add", "tensor<2xf32>"), {F32({2}, {1, 0x1p24}), F32({2}, {0x1p-30, 1})});
  EXPECT_THAT(Elements<double>(t), ElementsAre(1, 0x1p24));
}

TEST(EvaluatorTest, IntegerArithmeticWraps) {
  const auto i8 = [](std::vector<int64_t> v) {
    return Tensor::Of<int64_t>(ElementType::kI8, {static_cast<int64_t>(v.size())}, v);
  };
  EXPECT_THAT(Elements<int64_t>(OneResult(Binary("add", "tensor<2xi8>"), {i8({127, -128}), i8({1, -1})})),
              ElementsAre(-128, 127));
  EXPECT_THAT(Elements<int64_t>(OneResult(Binary("divide", "tensor<3xi8>"), {i8({-128, 7, -7}), i8({-1, 0, 2})})),
              ElementsAre(-128, -1, -3));
  EXPECT_THAT(Elements<int64_t>(OneResult(Binary("remainder", "tensor<3xi8>"), {i8({-128, 7, -7}), i8({-1, 0, 2})})),
              ElementsAre(0, 7, -1));
  EXPECT_THAT(Elements<int64_t>(OneResult(Binary("shift_left", "tensor<3xi8>"), {i8({1, 1, 1}), i8({7, 8, -1})})),
              ElementsAre(-128, 0, 0));
  EXPECT_THAT(
      Elements<int64_t>(OneResult(Binary("shift_right_arithmetic", "tensor<2xi8>"), {i8({-128, -128}), i8({1, 9})})),
      ElementsAre(-64, -1));
}

TEST(EvaluatorTest, IntegerPowersWithNegativeExponentsAreZeroUnlessTheBaseIsOneOrMinusOne) {
  const auto i8 = [](std::vector<int64_t> v) {
    return Tensor::Of<int64_t>(ElementType::kI8, {static_cast<int64_t>(v.size())}, v);
  };
  EXPECT_THAT(
      Elements<int64_t>(OneResult(Binary("power", "tensor<5xi8>"), {i8({0, 1, -1, -1, 2}), i8({-3, -3, -3, -2, -1})})),
      ElementsAre(0, 1, -1, 1, 0));
}

TEST(EvaluatorTest, ThreefryGivesNeighbouringElementsTheWordsOfOneBlock) {
  const std::string text = R"(func.func @main(%a: tensor<2xui64>) -> (tensor<2xui64>, tensor<4xTYPE>) {
    %0:2 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xTYPE>)
    return %0#0, %0#1 : tensor<2xui64>, tensor<4xTYPE>
  })";
  const auto bits = [&](const std::string& type) {
    std::string with_type = text;
    for (size_t at = 0; (at = with_type.find("TYPE", at)) != std::string::npos;) with_type.replace(at, 4, type);
    Expected<Values> results = EvaluateText(with_type, {Tensor::Of<int64_t>(ElementType::kUi64, {2}, {48, 9})});
    EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
    return results ? Elements<int64_t>((*results)[1].tensor()) : std::vector<int64_t>(4);
  };
  const std::vector<int64_t> whole = bits("ui64");
  const auto low = [&](size_t i) { return whole[i] & 0xFFFFFFFF; };
  const auto high = [&](size_t i) { return static_cast<int64_t>(static_cast<uint64_t>(whole[i]) >> 32); };
  EXPECT_THAT(bits("ui32"), ElementsAre(low(0), high(0), low(1), high(1)));
}

TEST(EvaluatorTest, PhiloxWithATwoWordStateUsesTheKeyAsTheThirdWord) {
  const auto bits = [](const std::string& size, const std::vector<int64_t>& state) {
    const std::string type = "tensor<" + size + "xui64>";
    Expected<Values> results =
        EvaluateText("func.func @main(%a: " + type + ") -> (" + type + ", tensor<2xui64>) {\n" +
                         "  %0:2 = stablehlo.rng_bit_generator %a, algorithm = PHILOX : (" + type + ") -> (" + type +
                         ", tensor<2xui64>)\n  return %0#0, %0#1 : " + type + ", tensor<2xui64>\n}",
                     {Tensor::Of<int64_t>(ElementType::kUi64, {static_cast<int64_t>(state.size())}, state)});
    EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
    return results ? Elements<int64_t>((*results)[1].tensor()) : std::vector<int64_t>();
  };
  EXPECT_EQ(bits("2", {59, 89}), bits("3", {59, 89, 59}));
  EXPECT_EQ(bits("2", {59, 89}).front(), 505463504218709402);  // the value that XLA gives
}

TEST(EvaluatorTest, BoundOfAComplexLogisticGrowsTowardsItsPoles) {
  const Tensor z = Tensor::Of<Complex>(ElementType::kC64, {2}, {Complex(0, 1), Complex(0, -3.1465342)});
  const Tensor t = OneResult(R"(func.func @main(%a: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
    %0 = stablehlo.logistic %a : tensor<2xcomplex<f32>>
    return %0 : tensor<2xcomplex<f32>>
  })",
                             {z}, {.bounds = true});
  EXPECT_LT(t.bounds()[0], 1e-5);
  EXPECT_GT(t.bounds()[1], 0.01);
}

TEST(EvaluatorTest, BoundOfASmallComplexAtan2IsAbsolute) {
  const std::string type = "tensor<1xcomplex<f64>>";
  const Tensor y = Tensor::Of<Complex>(ElementType::kC128, {1}, {Complex(1e-3, 2e-2)});
  const Tensor x = Tensor::Of<Complex>(ElementType::kC128, {1}, {Complex(1, 0)});
  EXPECT_GT(OneResult(Binary("atan2", type), {y, x}, {.bounds = true}).bounds()[0], 0x1p-52);
}

TEST(EvaluatorTest, ReducePrecisionRoundsTheMantissaOfSubnormals) {
  const Tensor t = OneResult(R"(func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.reduce_precision %a, format = e11m20 : tensor<3xf32>
    return %0 : tensor<3xf32>
  })",
                             {F32({3}, {0x1p-149, 0x1p-146, 0x5p-147})});
  EXPECT_THAT(Elements<double>(t), ElementsAre(0, 0x1p-146, 0x2p-146));
}

TEST(EvaluatorTest, ReducePrecisionToPowersOfTwoBreaksTiesToTheEvenCode) {
  const Tensor t = OneResult(R"(func.func @main(%a: tensor<5xf32>) -> tensor<5xf32> {
    %0 = stablehlo.reduce_precision %a, format = e8m0 : tensor<5xf32>
    return %0 : tensor<5xf32>
  })",
                             {F32({5}, {-3, 6, 1.5, 0.75, 3.25})});
  EXPECT_THAT(Elements<double>(t), ElementsAre(-2, 8, 2, 0.5, 4));
}

TEST(EvaluatorTest, MaximumPropagatesNanAndOrdersZeros) {
  const Tensor t = OneResult(Binary("maximum", "tensor<3xf32>"), {F32({3}, {kNan, -0.0, 1}), F32({3}, {1, 0.0, 2})});
  EXPECT_TRUE(std::isnan(t.data<double>()[0]));
  EXPECT_FALSE(std::signbit(t.data<double>()[1]));
  EXPECT_EQ(t.data<double>()[2], 2);
}

TEST(EvaluatorTest, TotalOrderPutsNegativeZeroFirst) {
  const Tensor t = OneResult(R"(func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xi1> {
    %0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    return %0 : tensor<2xi1>
  })",
                             {F32({2}, {-0.0, kInf}), F32({2}, {0.0, kNan})});
  EXPECT_THAT(Elements<uint8_t>(t), ElementsAre(1, 1));
}

TEST(EvaluatorTest, ConvertSaturatesAndTruncates) {
  const Tensor t = OneResult(R"(func.func @main(%a: tensor<4xf32>) -> tensor<4xi8> {
    %0 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xi8>
    return %0 : tensor<4xi8>
  })",
                             {F32({4}, {1.9, -1.9, 300, kNan})});
  EXPECT_THAT(Elements<int64_t>(t), ElementsAre(1, -1, 127, 0));
}

TEST(EvaluatorTest, DotGeneralContractsWithBatch) {
  const Tensor t =
      OneResult(R"(func.func @main(%a: tensor<2x2x3xf32>, %b: tensor<2x3x1xf32>) -> tensor<2x2x1xf32> {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<2x2x3xf32>, tensor<2x3x1xf32>) -> tensor<2x2x1xf32>
    return %0 : tensor<2x2x1xf32>
  })",
                {F32({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), F32({2, 3, 1}, {1, 1, 1, 1, 0, 2})});
  EXPECT_THAT(Elements<double>(t), ElementsAre(6, 15, 25, 34));
}

TEST(EvaluatorTest, MatrixProductsOfOddSizesMatchTheSimpleLoop) {
  const int64_t m = 13, n = 17, k = 300;
  std::vector<double> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(k * n)), want(static_cast<size_t>(m * n));
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i * 7 % 11) - 5;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i * 5 % 13) - 6;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t p = 0; p < k; ++p) {
        want[static_cast<size_t>(i * n + j)] += a[static_cast<size_t>(i * k + p)] * b[static_cast<size_t>(p * n + j)];
      }
    }
  }
  const Tensor t = OneResult(R"(func.func @main(%a: tensor<13x300xf32>, %b: tensor<300x17xf32>) -> tensor<13x17xf32> {
    %0 = stablehlo.dot %a, %b : (tensor<13x300xf32>, tensor<300x17xf32>) -> tensor<13x17xf32>
    return %0 : tensor<13x17xf32>
  })",
                             {F32({m, k}, a), F32({k, n}, b)});
  EXPECT_EQ(Elements<double>(t), want);
}

TEST(EvaluatorTest, ConvolutionPadsStridesAndGroups) {
  const Tensor t = OneResult(R"(func.func @main(%a: tensor<1x4x2xf32>, %b: tensor<2x1x2xf32>) -> tensor<1x3x2xf32> {
    %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {stride = [2], pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
      : (tensor<1x4x2xf32>, tensor<2x1x2xf32>) -> tensor<1x3x2xf32>
    return %0 : tensor<1x3x2xf32>
  })",
                             {F32({1, 4, 2}, {1, 10, 2, 20, 3, 30, 4, 40}), F32({2, 1, 2}, {1, 2, 3, 4})});
  EXPECT_THAT(Elements<double>(t), ElementsAre(3, 40, 2 + 9, 40 + 120, 4, 80));
}

TEST(EvaluatorTest, ReduceTakesAnyRegion) {
  const Tensor t = OneResult(R"(func.func @main(%a: tensor<2x3xi32>) -> tensor<2xi32> {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.reduce(%a init: %c) across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
      reducer(%x: tensor<i32>, %y: tensor<i32>) {
        %1 = stablehlo.multiply %x, %c : tensor<i32>
        %2 = stablehlo.subtract %1, %y : tensor<i32>
        stablehlo.return %2 : tensor<i32>
      }
    return %0 : tensor<2xi32>
  })",
                             {I32({2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_THAT(Elements<int64_t>(t), ElementsAre(-5, -14));
}

TEST(EvaluatorTest, GatherClampsAndScatterDrops) {
  const Tensor gathered = OneResult(R"(func.func @main(%a: tensor<3x2xi32>, %i: tensor<2x1xi32>) -> tensor<2x2xi32> {
    %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 2>, indices_are_sorted = false} : (tensor<3x2xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
    return %0 : tensor<2x2xi32>
  })",
                                    {I32({3, 2}, {1, 2, 3, 4, 5, 6}), I32({2, 1}, {-4, 9})});
  EXPECT_THAT(Elements<int64_t>(gathered), ElementsAre(1, 2, 5, 6));
  const Tensor scattered =
      OneResult(R"(func.func @main(%a: tensor<3xi32>, %i: tensor<3x1xi32>, %u: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "stablehlo.scatter"(%a, %i, %u) ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %1 = stablehlo.add %x, %y : tensor<i32>
        stablehlo.return %1 : tensor<i32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}
      : (tensor<3xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  })",
                {I32({3}, {1, 2, 3}), I32({3, 1}, {1, 3, 1}), I32({3}, {10, 20, 30})});
  EXPECT_THAT(Elements<int64_t>(scattered), ElementsAre(1, 42, 3));
}

TEST(EvaluatorTest, SortIsStableUnderAGeneralComparator) {
  Expected<Values> results =
      EvaluateText(R"(func.func @main(%k: tensor<5xi32>, %v: tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>) {
    %0:2 = "stablehlo.sort"(%k, %v) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
        %x = stablehlo.abs %a : tensor<i32>
        %y = stablehlo.abs %b : tensor<i32>
        %1 = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
    }) {dimension = 0 : i64, is_stable = true} : (tensor<5xi32>, tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>)
    return %0#0, %0#1 : tensor<5xi32>, tensor<5xi32>
  })",
                   {I32({5}, {3, -1, 1, -3, 0}), I32({5}, {0, 1, 2, 3, 4})});
  ASSERT_TRUE(results.has_value()) << results.error().message;
  EXPECT_THAT(Elements<int64_t>((*results)[0].tensor()), ElementsAre(0, -1, 1, 3, -3));
  EXPECT_THAT(Elements<int64_t>((*results)[1].tensor()), ElementsAre(4, 1, 2, 0, 3));
}

TEST(EvaluatorTest, PadCutsWithNegativeEdges) {
  const Tensor t = OneResult(R"(func.func @main(%a: tensor<3xi32>, %p: tensor<i32>) -> tensor<4xi32> {
    %0 = stablehlo.pad %a, %p, low = [-1], high = [0], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  })",
                             {I32({3}, {1, 2, 3}), I32({}, {9})});
  EXPECT_THAT(Elements<int64_t>(t), ElementsAre(9, 2, 9, 3));
}

TEST(EvaluatorTest, WhileCountsAndCallsReturn) {
  const Tensor t = OneResult(R"(
  func.func @main() -> tensor<i32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %n = stablehlo.constant dense<5> : tensor<i32>
    %0 = stablehlo.while(%i = %c) : tensor<i32>
      cond { %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %1 : tensor<i1> }
      do { %1 = func.call @inc(%i) : (tensor<i32>) -> tensor<i32>
           stablehlo.return %1 : tensor<i32> }
    return %0 : tensor<i32>
  }
  func.func private @inc(%a: tensor<i32>) -> tensor<i32> {
    %c = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.add %a, %c : tensor<i32>
    return %0 : tensor<i32>
  })");
  EXPECT_THAT(Elements<int64_t>(t), ElementsAre(6));
}

TEST(EvaluatorTest, UnknownCustomCallIsUnsupportedByName) {
  const Expected<Values> results = EvaluateText(R"(func.func @main(%a: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.custom_call @vendor_thing(%a) : (tensor<i32>) -> tensor<i32>
    return %0 : tensor<i32>
  })",
                                                {I32({}, {1})});
  ASSERT_FALSE(results.has_value());
  EXPECT_EQ(results.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(results.error().message, testing::HasSubstr("unsupported: custom_call @vendor_thing"));
}

TEST(EvaluatorTest, BoundsFollowTheirRule) {
  const EvalOptions bounds{.bounds = true};
  const Tensor sum = OneResult(Binary("add", "tensor<1xf32>"), {F32({1}, {1}), F32({1}, {2})}, bounds);
  EXPECT_EQ(sum.bound(), nullptr);
  const Tensor quotient = OneResult(Binary("divide", "tensor<1xf32>"), {F32({1}, {1}), F32({1}, {3})}, bounds);
  ASSERT_TRUE(quotient.bound());
  EXPECT_EQ(quotient.bounds()[0], 0x1p-25);  // one ULP of 1/3
  const Tensor dot = OneResult(R"(func.func @main(%a: tensor<1x4xf32>, %b: tensor<4x1xf32>) -> tensor<1x1xf32> {
    %0 = stablehlo.dot %a, %b : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32>
    return %0 : tensor<1x1xf32>
  })",
                               {F32({1, 4}, {1, -1, 1, -1}), F32({4, 1}, {1, 1, 1, 1})}, bounds);
  ASSERT_TRUE(dot.bound());
  EXPECT_EQ(dot.bound()->rule, "accumulation c=1 n=4 u=2^-24");
  EXPECT_NEAR(dot.bounds()[0], 16 * 0x1p-24, 1e-12);  // four roundings of a magnitude of four
}

TEST(EvaluatorTest, ErrorsPropagateThroughSeveralOps) {
  const Tensor t = OneResult(R"(func.func @main(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xf32> {
    %0 = stablehlo.exponential %a : tensor<1xf32>
    %1 = stablehlo.multiply %0, %b : tensor<1xf32>
    return %1 : tensor<1xf32>
  })",
                             {F32({1}, {1}), F32({1}, {100})}, {.bounds = true});
  ASSERT_TRUE(t.bound());
  // Three ULPs of e, times 100, plus one rounding.
  EXPECT_NEAR(t.bounds()[0], 3 * 0x1p-22 * 100 + 0x1p-15, 1e-6);
  EXPECT_EQ(t.bound()->rule, "propagated over 2 ops");
}

TEST(EvaluatorTest, SumsOfExactIntegersMustBeBitExact) {
  const Tensor t = OneResult(R"(func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  })",
                             {F32({2, 3}, {1, 2, 3, 4, 5, 6}), F32({3, 2}, {1, 2, 3, 4, 5, 6})},
                             {.bounds = true, .exact_integers = true});
  for (const double b : t.bounds()) EXPECT_EQ(b, 0);
}

}  // namespace
}  // namespace opbyop::reference
