// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/flushing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

#include "reference/eval/evaluate_text.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

std::vector<double> Flushed(const std::string& text, Values arguments) {
  const Expected<Values> results = EvaluateText(text, std::move(arguments), Flushing({.bounds = true}));
  return Elements<double>(results.value()[0].tensor());
}

TEST(FlushingTest, OpsThatComputeFlushOperandsAndResults) {
  const std::vector<double> product =
      Flushed(R"(func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.multiply %a, %b : tensor<3xf32>
    return %0 : tensor<3xf32>
  })",
              {F32({3}, {0x1p-149, 0x1p-100, -0x1p-100}), F32({3}, {kInf, 0x1p-40, 0x1p-20})});
  EXPECT_TRUE(std::isnan(product[0]));
  EXPECT_EQ(product[1], 0);
  EXPECT_EQ(product[2], -0x1p-120);
}

TEST(FlushingTest, ASubnormalProductMayBeMissingInASum) {
  const Expected<Values> results = EvaluateText(
      R"(func.func @main(%a: tensor<1x2xf32>, %b: tensor<2x1xf32>) -> tensor<1x1xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
    return %0 : tensor<1x1xf32>
  })",
      {F32({1, 2}, {0x1p-100, 0x1p-100}), F32({2, 1}, {0x1p-26, 0x1p-27})}, Flushing({.bounds = true}));
  const Tensor& sum = results.value()[0].tensor();
  EXPECT_EQ(sum.data<double>()[0], 0x1.8p-126);
  EXPECT_GE(sum.bounds()[0], 0x1p-127) << "without the second product";
}

// A device that adds a product without rounding it does not flush the product, but the sum.
TEST(FlushingTest, AProductThatIsAddedMayBeKeptOrFlushed) {
  const Expected<Values> results = EvaluateText(
      R"(func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.multiply %a, %b : tensor<2xf32>
    %1 = stablehlo.add %0, %c : tensor<2xf32>
    return %1 : tensor<2xf32>
  })",
      {F32({2}, {-0x1p-126, 0x1p-126}), F32({2}, {0.5, 0.5}), F32({2}, {0x1.8p-126, 0x1.8p-126})},
      Flushing({.bounds = true}));
  const Tensor& sum = results.value()[0].tensor();
  const auto covers = [&](size_t i, double value) {
    return std::fabs(sum.data<double>()[i] - value) <= sum.bounds()[i];
  };
  EXPECT_TRUE(covers(0, 0)) << "the product kept, and the sum of 2^-126 less 2^-127 flushed";
  EXPECT_TRUE(covers(0, 0x1.8p-126)) << "the product flushed";
  EXPECT_TRUE(covers(1, 0x1p-125)) << "the product kept";
  EXPECT_TRUE(covers(1, 0x1.8p-126)) << "the product flushed";
  EXPECT_LE(sum.bounds()[1], 0x1.1p-125) << "hardly more than that";
}

TEST(FlushingTest, AConvolutionFlushesWhetherItsPaddingIsStaticOrNot) {
  constexpr std::string_view kNumbers =
      "batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, "
      "i, "
      "o]->[b, 0, f]>}> : (tensor<1x1x1xf32>, tensor<1x1x1xf32>";
  const auto product = [&](const std::string& op, const std::string& attribute, const std::string& padding) {
    return Flushed(fmt::format(R"(func.func @main(%a: tensor<1x1x1xf32>, %b: tensor<1x1x1xf32>) -> tensor<1x1x1xf32> {{
      %c = stablehlo.constant dense<0> : tensor<1x2xi64>
      %0 = "stablehlo.{}"(%a, %b{}) <{{{}{}{}) -> tensor<1x1x1xf32>
      return %0 : tensor<1x1x1xf32>
    }})",
                               op, padding.empty() ? "" : ", %c", attribute, kNumbers, padding),
                   {F32({1, 1, 1}, {0x1p-149}), F32({1, 1, 1}, {kInf})})[0];
  };
  EXPECT_TRUE(std::isnan(product("convolution", "padding = dense<0> : tensor<1x2xi64>, ", "")));
  EXPECT_TRUE(std::isnan(product("dynamic_conv", "", ", tensor<1x2xi64>")));
}

TEST(FlushingTest, CustomCallsThatStandForAFunctionFlush) {
  const std::vector<double> out = Flushed(R"(func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> {
    %0 = stablehlo.custom_call @mhlo.erf(%a) : (tensor<1xf32>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  })",
                                          {F32({1}, {0x1p-127})});
  EXPECT_EQ(out[0], 0);
}

// Evaluates an op on two elements, of which the first is subnormal and the second has a subnormal result, on a device
// that flushes these parts.
std::vector<double> OfParts(const std::string& op, FlushedParts parts, Values arguments) {
  const std::string list = arguments.size() == 1 ? "%a" : "%a, %b";
  const std::string text = "func.func @main(%a: tensor<2xf32>" +
                           std::string(arguments.size() == 1 ? "" : ", %b: tensor<2xf32>") + ") -> tensor<2xf32> {\n" +
                           "%0 = stablehlo." + op + " " + list + " : tensor<2xf32>\nreturn %0 : tensor<2xf32>\n}";
  const Expected<Values> results = EvaluateText(text, std::move(arguments), Flushing({.bounds = true}, parts));
  return Elements<double>(results.value()[0].tensor());
}

TEST(FlushingTest, OperandsAndResultsAreFlushedIndependently) {
  const Values arguments = {F32({2}, {0x1p-130, 0x1p-100}), F32({2}, {0x1p10, 0x1p-30})};
  EXPECT_EQ(OfParts("multiply", {.operands = true}, arguments), (std::vector<double>{0, 0x1p-130}));
  EXPECT_EQ(OfParts("multiply", {.results = true}, arguments), (std::vector<double>{0x1p-120, 0}));
}

TEST(FlushingTest, OpsOnTheSignBitFlushIfDeclared) {
  const Values arguments = {F32({2}, {-0x1p-130, 3})};
  EXPECT_EQ(OfParts("negate", {.results = true}, arguments), (std::vector<double>{0x1p-130, -3}));
  EXPECT_EQ(OfParts("negate", {.results = true, .signs = true}, arguments), (std::vector<double>{0, -3}));
  EXPECT_EQ(OfParts("abs", {.operands = true, .signs = true}, arguments), (std::vector<double>{0, 3}));
}

// Two subnormals compare as equal zeros, so a device may return either of them, unflushed.
TEST(FlushingTest, TheModulusOfAComplexNumberIsComputed) {
  const std::vector<double> out = Flushed(
      R"(func.func @main(%a: tensor<1xcomplex<f32>>) -> tensor<1xf32> {
    %0 = stablehlo.abs %a : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  })",
      {Tensor::Of<Complex>(ElementType::kC64, {1}, std::vector<Complex>{{0x1.8p-127, 0x1.8p-127}})});
  EXPECT_EQ(out[0], 0) << "though the modulus is a normal number";
}

TEST(FlushingTest, AnyOperandThatComparesAsZeroMayBeReturned) {
  const Expected<Values> results = EvaluateText(
      R"(func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.maximum %a, %b : tensor<3xf32>
    return %0 : tensor<3xf32>
  })",
      {F32({3}, {-0x1p-140, 0x1p-140, 0x1p-140}), F32({3}, {0, -0x1p-130, 1})}, Flushing({.bounds = true}));
  const Tensor& greatest = results.value()[0].tensor();
  EXPECT_EQ(Elements<double>(greatest), (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(std::vector<double>(greatest.bounds().begin(), greatest.bounds().end()),
            (std::vector<double>{0x1p-140, 0x1p-130, 0}));
}

TEST(FlushingTest, ALimitThatComparesAsZeroMayBeReturned) {
  const Expected<Values> results =
      EvaluateText(R"(func.func @main(%l: tensor<f32>, %a: tensor<2xf32>, %h: tensor<f32>) -> tensor<2xf32> {
    %0 = stablehlo.clamp %l, %a, %h : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                   {F32({}, {-0x1p-130}), F32({2}, {0, 2}), F32({}, {1})}, Flushing({.bounds = true}));
  EXPECT_EQ(results.value()[0].tensor().bounds()[0], 0x1p-130);
  EXPECT_EQ(results.value()[0].tensor().bounds()[1], 0);
}

TEST(FlushingTest, ARegionThatChoosesMayReturnAnElementThatComparesAsZero) {
  const Expected<Values> results = EvaluateText(
      R"(func.func @main(%a: tensor<3x2xf32>, %i: tensor<f32>) -> tensor<3xf32> {
    %0 = "stablehlo.reduce"(%a, %i) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %1 = stablehlo.maximum %x, %y : tensor<f32>
        stablehlo.return %1 : tensor<f32>
    }) {dimensions = array<i64: 1>} : (tensor<3x2xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  })",
      {F32({3, 2}, {-0x1p-140, 0x1p-135, 0, 0, 2, 1}), F32({}, {-kInf})}, Flushing({.bounds = true}));
  const Tensor& greatest = results.value()[0].tensor();
  EXPECT_EQ(Elements<double>(greatest), (std::vector<double>{0, 0, 2}));
  EXPECT_EQ(greatest.bounds()[0], 0x1p-135);
  EXPECT_EQ(greatest.bounds()[2], 0);
}

// The bound of this quotient includes the number one unit below the least normal number, which is subnormal.
TEST(FlushingTest, AConversionMayKeepWhatTheOpBehindItFlushes) {
  const Expected<Values> results =
      EvaluateText(R"(func.func @main(%a: tensor<1xf32>, %b: tensor<1xbf16>) -> tensor<1xbf16> {
    %0 = stablehlo.convert %a : (tensor<1xf32>) -> tensor<1xbf16>
    %1 = stablehlo.subtract %b, %0 : tensor<1xbf16>
    return %1 : tensor<1xbf16>
  })",
                   {F32({1}, {0x1.fffffcp-127}), Tensor::Of<double>(ElementType::kBf16, {1}, {0x1p-133})},
                   Flushing({.bounds = true}));
  const Tensor& t = results.value()[0].tensor();
  EXPECT_EQ(t.data<double>()[0], 0);
  EXPECT_GE(t.bounds()[0], 0x1p-126) << "the conversion is the least normal number, the other operand is read as zero";
  EXPECT_LT(t.bounds()[0], 0x1p-125);
}

TEST(FlushingTest, AResultWhoseBoundReachesTheSubnormalNumbersMayBeZero) {
  const std::vector<double> out = Flushed(R"(func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.divide %a, %b : tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                                          {F32({2}, {0x1p-125, 0x1p-124}), F32({2}, {2, 2})});
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[1], 0x1p-125);
}

// The greatest subnormal operand is read as zero, and the sum is the least normal number, of which tanh may be a unit off.
TEST(FlushingTest, AResultWhoseBoundReachesTheSubnormalNumbersMayStay) {
  const Expected<Values> results =
      EvaluateText(R"(func.func @main(%a: tensor<1xbf16>, %b: tensor<1xbf16>) -> tensor<1xbf16> {
    %0 = stablehlo.add %a, %b : tensor<1xbf16>
    %1 = stablehlo.tanh %0 : tensor<1xbf16>
    return %1 : tensor<1xbf16>
  })",
                   {Tensor::Of<double>(ElementType::kBf16, {1}, {0x1p-126}),
                    Tensor::Of<double>(ElementType::kBf16, {1}, {0x1.fcp-127})},
                   Flushing({.bounds = true}));
  const Tensor& t = results.value()[0].tensor();
  EXPECT_EQ(t.data<double>()[0], 0);
  EXPECT_GE(t.bounds()[0], 0x1p-126);
  EXPECT_LT(t.bounds()[0], 0x1.1p-126);
}

TEST(FlushingTest, OpsThatMoveKeepTheBits) {
  const std::vector<double> moved = Flushed(R"(func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.reverse %a, dims = [0] : tensor<2xf32>
    %1 = stablehlo.negate %0 : tensor<2xf32>
    return %1 : tensor<2xf32>
  })",
                                            {F32({2}, {0x1p-149, 1})});
  EXPECT_EQ(moved, (std::vector<double>{-1, -0x1p-149}));
}

TEST(FlushingTest, RegionsThatCombineElementsFlush) {
  const std::vector<double> least = Flushed(
      R"(func.func @main(%a: tensor<2xf32>, %i: tensor<1x1xi32>, %u: tensor<1xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.scatter"(%a, %i, %u) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %1 = stablehlo.minimum %x, %y : tensor<f32>
        stablehlo.return %1 : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>} : (tensor<2xf32>, tensor<1x1xi32>, tensor<1xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
      {F32({2}, {1, 1}), I32({1, 1}, {0}), F32({1}, {0x1p-140})});
  EXPECT_EQ(least, (std::vector<double>{0, 1}));
}

// The device reads zero, but the subnormal result is assembled from bits and not flushed.
TEST(FlushingTest, TheNextNumberIsThatAfterZero) {
  const std::vector<double> next = Flushed(R"(func.func @main(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xf32> {
    %0 = chlo.next_after %a, %b : tensor<1xf32>, tensor<1xf32> -> tensor<1xf32>
    return %0 : tensor<1xf32>
  })",
                                           {F32({1}, {0x1p-149}), F32({1}, {-1})});
  EXPECT_EQ(next[0], -0x1p-149);
}

TEST(FlushingTest, TheNextNumberMayBeThatAfterTheSubnormalOperandItself) {
  const Expected<Values> results = EvaluateText(
      R"(func.func @main(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xf32> {
    %0 = chlo.next_after %a, %b : tensor<1xf32>, tensor<1xf32> -> tensor<1xf32>
    return %0 : tensor<1xf32>
  })",
      {F32({1}, {0x1p-127}), F32({1}, {-1})}, Flushing({.bounds = true}));
  const Tensor& next = results.value()[0].tensor();
  EXPECT_EQ(next.data<double>()[0], -0x1p-149);
  EXPECT_GE(next.bounds()[0], 0x1p-127);
}

TEST(FlushingTest, ThePowerOfASubnormalExponentMayBeThatOfZero) {
  const Expected<Values> results = EvaluateText(
      R"(func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.power %a, %b : tensor<4xf32>
    return %0 : tensor<4xf32>
  })",
      {F32({4}, {kNan, kNan, 2, 0x1p-140}), F32({4}, {0x1p-140, 0, 0x1p-140, 2})}, Flushing({.bounds = true}));
  const Tensor& power = results.value()[0].tensor();
  EXPECT_EQ(power.bounds()[0], kInf);
  EXPECT_LT(power.bounds()[1], kInf);
  EXPECT_LT(power.bounds()[2], 0x1p-10);
  EXPECT_EQ(power.data<double>()[3], 0);
}

TEST(FlushingTest, SubnormalsOfF16AreNormalNumbersInF32) {
  const Tensor half = Tensor::Of<double>(ElementType::kF16, {1}, {0x1p-24});
  const std::vector<double> sum = Flushed(R"(func.func @main(%a: tensor<1xf16>) -> tensor<1xf16> {
    %0 = stablehlo.add %a, %a : tensor<1xf16>
    return %0 : tensor<1xf16>
  })",
                                          {half});
  EXPECT_EQ(sum[0], 0x1p-23);
}

// 2^-127, the least number of f8E8M0FNU, is subnormal in f32, in which narrow types are computed.
TEST(FlushingTest, TheLeastNumberOfF8E8M0FnuIsSubnormalInF32) {
  const Expected<Values> results = EvaluateText(
      R"(func.func @main(%a: tensor<2xf8E8M0FNU>) -> tensor<2xi1> {
    %0 = stablehlo.convert %a : (tensor<2xf8E8M0FNU>) -> tensor<2xi1>
    return %0 : tensor<2xi1>
  })",
      {Tensor::Of<double>(ElementType::kF8E8M0Fnu, {2}, {0x1p-127, 0x1p-126})}, Flushing({.bounds = true}));
  EXPECT_EQ(Elements<uint8_t>(results.value()[0].tensor()), (std::vector<uint8_t>{0, 1}));
}

TEST(FlushingTest, ASortComparesSubnormalsAsZerosAndMovesThemUnchanged) {
  const std::vector<double> sorted = Flushed(R"(func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %1 = stablehlo.compare LT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })",
                                             {F32({4}, {0x1p-130, 1, -0x1p-140, -1})});
  EXPECT_EQ(sorted, (std::vector<double>{-1, 0x1p-130, -0x1p-140, 1}));
}

TEST(FlushingTest, AFactorThatIsFlushedMakesNanOfAnInfiniteGradient) {
  const auto bound = [](double scale) {
    const Expected<Values> results = EvaluateText(
        R"(func.func @main(%x: tensor<2x1xf32>, %s: tensor<1xf32>, %g: tensor<2x1xf32>) -> tensor<2x1xf32> {
    %m = stablehlo.constant dense<0.0> : tensor<1xf32>
    %v = stablehlo.constant dense<3.0> : tensor<1xf32>
    %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> :
        (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<2x1xf32>)
        -> (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>)
    return %0#0 : tensor<2x1xf32>
  })",
        {F32({2, 1}, {1, 1}), F32({1}, {scale}), F32({2, 1}, {kInf, -1})}, Flushing({.bounds = true}));
    EXPECT_EQ(results.value()[0].tensor().data<double>()[1], -kInf);
    return results.value()[0].tensor().bounds()[1];
  };
  EXPECT_EQ(bound(0x1p-126), kInf);
  EXPECT_EQ(bound(1), 0);
}

// An op that gives back small numbers as they are need not flush them, and what orders its results compares zeros.
TEST(FlushingTest, ASortMayMoveAResultThatWasNotFlushed) {
  const double greatest = 0x1p-126 - 0x1p-149;
  const Expected<Values> results = EvaluateText(
      R"(func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.tanh %a : tensor<3xf32>
    %1 = "stablehlo.sort"(%0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %2 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  })",
      {F32({3}, {100, greatest, -0x1p-149})}, Flushing({.bounds = true}));
  const Tensor& sorted = results.value()[0].tensor();
  EXPECT_LE(std::fabs(sorted.data<double>()[0] - greatest), sorted.bounds()[0]);
  EXPECT_LE(std::fabs(sorted.data<double>()[1] + 0x1p-149), sorted.bounds()[1]);
  EXPECT_LT(sorted.bounds()[2], 1e-6) << "the greatest is 1";
}

// A remainder is the dividend itself if that is small. The comparison of it with zero then takes it for zero.
TEST(FlushingTest, AComparedResultMayNotHaveBeenFlushed) {
  const double tiny = 0x1p-126 - 0x1p-149;
  const Expected<Values> results = EvaluateText(
      R"(func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
    %0 = stablehlo.remainder %a, %b : tensor<2xf32>
    %1 = stablehlo.compare NE, %0, %zero : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %2 = stablehlo.add %0, %b : tensor<2xf32>
    %3 = stablehlo.select %1, %2, %0 : tensor<2xi1>, tensor<2xf32>
    return %3 : tensor<2xf32>
  })",
      {F32({2}, {tiny, 3}), F32({2}, {-2, -2})}, Flushing({.bounds = true}));
  const Tensor& moduli = results.value()[0].tensor();
  EXPECT_LE(std::fabs(moduli.data<double>()[0] - tiny), moduli.bounds()[0]);
  EXPECT_EQ(moduli.data<double>()[1], -1);
  EXPECT_LT(moduli.bounds()[1], 1e-6);
}

// Where an element is kept in f32, rounding it to bf16 again is a computation.
TEST(FlushingTest, AmongOtherOpsAMovedNumberOfBf16MayBeFlushedWhereIntermediatesStayUnrounded) {
  const double tiny = -0x1p-130;
  const auto moved = [&](std::string_view predicate, bool keeps_excess) {
    const std::string text = fmt::format(R"(func.func @main(%a: tensor<bf16>, %p: tensor<i1>) -> tensor<bf16> {{
      %one = stablehlo.constant dense<1.0> : tensor<bf16>
      %0 = stablehlo.compare GT, %a, %one : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %1 = stablehlo.select {}, %one, %a : tensor<i1>, tensor<bf16>
      return %1 : tensor<bf16>
    }})",
                                         predicate);
    const Values arguments = {Tensor::Of<double>(ElementType::kBf16, {}, {tiny}), Tensor::Zeros(ElementType::kI1, {})};
    Expected<Values> results = EvaluateText(text, arguments, Flushing({.bounds = true, .keeps_excess = keeps_excess}));
    return std::move((*results)[0].tensor());
  };
  const Tensor either = moved("%0", true);
  EXPECT_EQ(either.data<double>()[0], 0);
  EXPECT_GE(either.bounds()[0], -tiny);
  EXPECT_EQ(moved("%p", true).data<double>()[0], tiny) << "an op by itself";
  EXPECT_EQ(moved("%0", false).data<double>()[0], tiny);
}

TEST(FlushingTest, ASortByTotalOrderComparesBits) {
  const std::vector<double> sorted = Flushed(R"(func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %1 = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                                             {F32({2}, {0x1p-130, 0x1p-140})});
  EXPECT_EQ(sorted, (std::vector<double>{0x1p-140, 0x1p-130}));
}

TEST(FlushingTest, TopKMayReturnAnySubnormalForAZeroInEitherOrder) {
  const Expected<Values> results = EvaluateText(
      R"(func.func @main(%a: tensor<4xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
    %0, %1 = chlo.top_k(%a, k = 3) : tensor<4xf32> -> (tensor<3xf32>, tensor<3xi32>)
    return %0, %1 : tensor<3xf32>, tensor<3xi32>
  })",
      {F32({4}, {-0x1p-130, -1, 1, 0x1p-140})}, Flushing({.bounds = true}));
  const Tensor& values = results.value()[0].tensor();
  EXPECT_EQ(values.bounds()[0], 0);
  for (const size_t i : {1, 2}) {
    EXPECT_EQ(values.data<double>()[i], 0);
    EXPECT_GE(values.bounds()[i], 0x1p-130);
    EXPECT_EQ(results.value()[1].tensor().bounds()[i], 3) << "places 0 and 3";
  }
}

TEST(FlushingTest, AReductionThatSelectsByComparisonReturnsAnElementUnchanged) {
  const Expected<Values> results =
      EvaluateText(R"(func.func @main(%a: tensor<2xf32>, %i: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.reduce(%a init: %i) across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
      reducer(%x: tensor<f32>, %y: tensor<f32>) {
        %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %s = stablehlo.select %c, %x, %y : tensor<i1>, tensor<f32>
        stablehlo.return %s : tensor<f32>
      }
    return %0 : tensor<f32>
  })",
                   {F32({2}, {0x1p-140, 0x1p-130}), F32({}, {-1})}, Flushing({.bounds = true}));
  const Tensor& greatest = results.value()[0].tensor();
  EXPECT_EQ(greatest.data<double>()[0], 0);
  EXPECT_GE(greatest.bounds()[0], 0x1p-130);
}

// (1 - 2^-8) * (1 + 2^-7) * 2^-126 is below 2^-126 and rounds up to it in bf16.
TEST(FlushingTest, AProductMayBeTinyBeforeItIsRounded) {
  const Expected<Values> results =
      EvaluateText(R"(func.func @main(%a: tensor<2xbf16>, %b: tensor<2xbf16>) -> tensor<2xbf16> {
    %0 = stablehlo.multiply %a, %b : tensor<2xbf16>
    return %0 : tensor<2xbf16>
  })",
                   {Tensor::Of<double>(ElementType::kBf16, {2}, {-0x1.fep-64, -1}),
                    Tensor::Of<double>(ElementType::kBf16, {2}, {0x1.00p-63, 0x1p-126})},
                   Flushing({.bounds = true}));
  const std::vector<double> product = Elements<double>(results.value()[0].tensor());
  EXPECT_EQ(product[0], 0);
  EXPECT_TRUE(std::signbit(product[0]));
  EXPECT_EQ(product[1], -0x1p-126) << "exact: not subnormal before rounding";
}

TEST(FlushingTest, AConversionMayBeTinyBeforeItIsRounded) {
  const std::vector<double> narrow = Flushed(R"(func.func @main(%a: tensor<2xf32>) -> tensor<2xbf16> {
    %0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xbf16>
    return %0 : tensor<2xbf16>
  })",
                                             {F32({2}, {0x1.fffep-127, 0x1p-126})});
  EXPECT_EQ(narrow, (std::vector<double>{0, 0x1p-126}));
}

}  // namespace
}  // namespace opbyop::reference
