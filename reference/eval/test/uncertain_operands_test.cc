// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bounds of ops on operands that a device may have otherwise: inexact, unbounded, or zeros of either sign.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/bounds/bound.h"
#include "reference/eval/evaluate_text.h"
#include "reference/eval/test/inexact_arguments.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

using testing::Each;
using testing::ElementsAre;

// Evaluates the ops on arguments %a, %b, ... of one type; the last op is %r.
Tensor EvaluateOps(const std::string& type, const std::string& ops, const std::string& result,
                   const std::vector<Tensor>& arguments) {
  std::string list;
  for (size_t i = 0; i < arguments.size(); ++i) {
    list += std::string(i == 0 ? "" : ", ") + "%" + static_cast<char>('a' + i) + ": " + type;
  }
  const Expected<Values> results =
      EvaluateText("func.func @main(" + list + ") -> " + result + " {\n" + ops + "\nreturn %r : " + result + "\n}",
                   Values(arguments.begin(), arguments.end()), {.bounds = true});
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
  return results ? (*results)[0].tensor() : F32({1}, {0});
}

std::vector<bool> OpenElements(const Tensor& t) {
  std::vector<bool> open(static_cast<size_t>(t.size()));
  for (size_t i = 0; i < open.size() && !t.bounds().empty(); ++i) open[i] = t.bounds()[i] == kInf;
  return open;
}

// The maximum of two zeros is either of them.
constexpr char kEitherZero[] = "%x = stablehlo.maximum %a, %b : tensor<2xf32>\n";
const std::vector<Tensor> kZeros = {F32({2}, {0, 3}), F32({2}, {-0.0, 1})};

TEST(UncertainOperandsTest, AZeroOfEitherSignStaysOne) {
  for (const std::string op :
       {"stablehlo.multiply %x, %a : tensor<2xf32>", "stablehlo.negate %x : tensor<2xf32>",
        "stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xf32>", "stablehlo.floor %x : tensor<2xf32>",
        "stablehlo.reshape %x : (tensor<2xf32>) -> tensor<2xf32>",
        "stablehlo.reverse %x, dims = [0] : tensor<2xf32>"}) {
    const Tensor t = EvaluateOps("tensor<2xf32>", kEitherZero + ("%r = " + op), "tensor<2xf32>", kZeros);
    ASSERT_TRUE(t.bound()) << op;
    EXPECT_TRUE(t.bound()->zero_sign_free) << op;
    EXPECT_TRUE(t.bounds().empty()) << op << ": it is exact otherwise";
  }
}

TEST(UncertainOperandsTest, ABoundCoversWhatADeviceMayHave) {
  Devices devices;
  for (const std::string op : {"stablehlo.power", "stablehlo.remainder", "stablehlo.divide", "stablehlo.atan2",
                               "stablehlo.maximum", "chlo.next_after"}) {
    const std::string text = fmt::format(
        "func.func @main(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {{\n"
        "%r = {} %a, %b : {}\nreturn %r : tensor<64xf32>\n}}",
        op, op.starts_with("chlo") ? "tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>" : "tensor<64xf32>");
    const auto draw = [&] {
      std::vector<double> values, errors;
      for (int i = 0; i < 64; ++i) {
        values.push_back(0.5 * static_cast<double>(devices.Below(13) - 6));
        errors.push_back(devices.Below(2) == 0 ? 0 : 0.25 * static_cast<double>(devices.Below(5)));
      }
      return WithErrors(F32({64}, values), errors);
    };
    for (int round = 0; round < 10; ++round) devices.ExpectCovered(text, {draw(), draw()});
  }
}

TEST(UncertainOperandsTest, TheRoundingOfAResultIsThatOfTheLargestThatItMayBe) {
  const Tensor one = WithErrors(F32({1}, {1}), {0x1p-10});
  const Tensor log = EvaluateOps("tensor<1xf32>", "%r = stablehlo.log %a : tensor<1xf32>", "tensor<1xf32>", {one});
  const double error = -std::log(1 - 0x1p-10);
  EXPECT_GE(log.bounds()[0], error + FormatOf(ElementType::kF32).Ulp(error)) << "although the logarithm of 1 is 0";
}

TEST(UncertainOperandsTest, AnIntegerThatCannotHoldTheNumberIsOpen) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string from = "tensor<8xf32>";
  const Tensor numbers = F32({8}, {-128.9, -129, 127.9, 128, nan, kInf, -0.9, 0});
  EXPECT_THAT(OpenElements(EvaluateOps(from, "%r = stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xi8>",
                                       "tensor<8xi8>", {numbers})),
              ElementsAre(false, true, false, true, true, true, false, false));
  EXPECT_THAT(OpenElements(EvaluateOps(from, "%r = stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xui8>",
                                       "tensor<8xui8>", {numbers})),
              ElementsAre(true, true, false, false, true, true, false, false));
  EXPECT_THAT(OpenElements(EvaluateOps(from, "%r = stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xi1>",
                                       "tensor<8xi1>", {numbers})),
              Each(false));
}

TEST(UncertainOperandsTest, AnIntegerThatMayNotHoldAnInexactNumberIsOpen) {
  const std::vector<Tensor> arguments = {F32({2}, {0x1.fffffep6, 40}), F32({2}, {1, 1})};
  const Tensor t = EvaluateOps("tensor<2xf32>",
                               "%x = stablehlo.power %a, %b : tensor<2xf32>\n"
                               "%r = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xi8>",
                               "tensor<2xi8>", arguments);
  EXPECT_THAT(OpenElements(t), ElementsAre(true, false));
}

TEST(UncertainOperandsTest, ANumberThatMayBeNaNStaysOpenWhenItIsReduced) {
  // 448 is NaN in the range of IEEE's e4m3, and stays in the range of the type.
  const std::string type = "tensor<2xf8E4M3FN>";
  const Tensor numbers = Tensor::Of<double>(ElementType::kF8E4M3Fn, {2}, {448, 2});
  const Tensor t = EvaluateOps(type,
                               "%x = stablehlo.reduce_precision %a, format = e4m3 : tensor<2xf8E4M3FN>\n"
                               "%r = stablehlo.reduce_precision %x, format = e4m3 : tensor<2xf8E4M3FN>",
                               type, {numbers});
  EXPECT_THAT(OpenElements(t), ElementsAre(true, false));
}

TEST(UncertainOperandsTest, AnInfinityThatAnInexactOperandJustReachesIsOpen) {
  const Tensor greatest = F32({2}, {0x1.fffffep127, std::numeric_limits<double>::infinity()});
  const std::string type = "tensor<2xf32>";
  const Tensor power = EvaluateOps(
      type, "%x = stablehlo.log %a : tensor<2xf32>\n%r = stablehlo.exponential %x : tensor<2xf32>", type, {greatest});
  ASSERT_TRUE(std::isinf(power.data<double>()[0]));
  EXPECT_THAT(OpenElements(power), ElementsAre(true, false));
  const Tensor product =
      EvaluateOps(type, "%x = stablehlo.exponential %a : tensor<2xf32>\n%r = stablehlo.multiply %x, %b : tensor<2xf32>",
                  type, {F32({2}, {1, 80}), F32({2}, {1.251829e38F, 1e38F})});
  ASSERT_TRUE(std::isinf(product.data<double>()[0]));
  EXPECT_THAT(OpenElements(product), ElementsAre(true, false));
}

TEST(UncertainOperandsTest, TheBitsOfANaNThatAnOpComputesAreOpen) {
  const std::string bits = "%r = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2xi32>";
  const Tensor root = EvaluateOps("tensor<2xf32>", "%x = stablehlo.subtract %a, %a : tensor<2xf32>\n" + bits,
                                  "tensor<2xi32>", {F32({2}, {std::numeric_limits<double>::infinity(), 4})});
  EXPECT_THAT(OpenElements(root), ElementsAre(true, false));
  const Tensor moved = EvaluateOps("tensor<2xf32>", "%x = stablehlo.reverse %a, dims = [0] : tensor<2xf32>\n" + bits,
                                   "tensor<2xi32>", {F32({2}, {std::numeric_limits<float>::quiet_NaN(), 4})});
  EXPECT_THAT(OpenElements(moved), ElementsAre(false, false));
}

TEST(UncertainOperandsTest, AnErrorThatRoundingAbsorbsLeavesAConversionExact) {
  // The sine of f32 is off by a few units of 2^-24, far from the middle of two bf16.
  const Tensor t = EvaluateOps("tensor<2xf32>",
                               "%x = stablehlo.sine %a : tensor<2xf32>\n"
                               "%r = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xbf16>",
                               "tensor<2xbf16>", {F32({2}, {0.7, 1.2})});
  ASSERT_FALSE(t.bounds().empty());
  EXPECT_THAT(std::vector<double>(t.bounds().begin(), t.bounds().end()), Each(0));
}

TEST(UncertainOperandsTest, AnErrorThatCrossesTheMiddleOfTwoNumbersReachesBothButNoMore) {
  const double middle = 1 + std::ldexp(1, -8);  // of two bf16
  const Tensor t = EvaluateOps("tensor<1xf32>",
                               "%s = stablehlo.divide %a, %b : tensor<1xf32>\n"
                               "%r = stablehlo.convert %s : (tensor<1xf32>) -> tensor<1xbf16>",
                               "tensor<1xbf16>", {F32({1}, {middle}), F32({1}, {1})});
  ASSERT_FALSE(t.bounds().empty());
  EXPECT_EQ(t.bounds()[0], std::ldexp(1, -7));
}

TEST(UncertainOperandsTest, WhatRoundsNothingAddsNoErrorOfItsOwn) {
  const std::string tangent = "%x = stablehlo.tanh %a : tensor<2xf32>\n";
  const std::vector<Tensor> in = {F32({2}, {0.7, -1.2})};
  const Tensor x = EvaluateOps("tensor<2xf32>", "%r = stablehlo.tanh %a : tensor<2xf32>", "tensor<2xf32>", in);
  const Tensor negated =
      EvaluateOps("tensor<2xf32>", tangent + "%r = stablehlo.negate %x : tensor<2xf32>", "tensor<2xf32>", in);
  const Tensor floored =
      EvaluateOps("tensor<2xf32>", tangent + "%r = stablehlo.floor %x : tensor<2xf32>", "tensor<2xf32>", in);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_DOUBLE_EQ(negated.bounds()[i], x.bounds()[i]);
    EXPECT_EQ(floored.bounds()[i], 0) << "both ends have the same floor";
  }
}

TEST(UncertainOperandsTest, ANaNStaysComputedWhenItIsMoved) {
  const Tensor bits = EvaluateOps("tensor<2xf32>",
                                  "%s = stablehlo.subtract %a, %a : tensor<2xf32>\n"
                                  "%x = stablehlo.reverse %s, dims = [0] : tensor<2xf32>\n"
                                  "%r = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2xi32>",
                                  "tensor<2xi32>", {F32({2}, {std::numeric_limits<double>::infinity(), 4})});
  EXPECT_THAT(OpenElements(bits), ElementsAre(false, true));
}

// Sorts %x with a comparison of a type.
std::string SortBy(const std::string& comparison) {
  return "%r = \"stablehlo.sort\"(%x) <{dimension = 0 : i64, is_stable = true}> ({\n"
         "^bb0(%p: tensor<f32>, %q: tensor<f32>):\n" +
         comparison + "\nstablehlo.return %c : tensor<i1>\n}) : (tensor<3xf32>) -> tensor<3xf32>";
}

constexpr char kTotalOrder[] =
    "%c = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>";

// In a total order a NaN is before or after all numbers, as its sign says.
TEST(UncertainOperandsTest, WhereATotalOrderPutsANaNThatAnOpComputesIsOpen) {
  const std::string type = "tensor<3xf32>";
  const Tensor with_nan = F32({3}, {4, std::numeric_limits<double>::quiet_NaN(), 1});
  const std::string doubled = "%x = stablehlo.add %a, %a : tensor<3xf32>\n";
  EXPECT_THAT(OpenElements(EvaluateOps(type, doubled + SortBy(kTotalOrder), type, {with_nan})), Each(true));
  EXPECT_THAT(OpenElements(EvaluateOps(type, doubled + SortBy(kTotalOrder), type, {F32({3}, {4, 2, 1})})), Each(false));
  EXPECT_THAT(
      OpenElements(EvaluateOps(type, "%x = stablehlo.reverse %a, dims = [0] : tensor<3xf32>\n" + SortBy(kTotalOrder),
                               type, {with_nan})),
      Each(false))
      << "the sign of a NaN that is moved is known";
}

TEST(UncertainOperandsTest, AComparatorThatReplacesNaNLeavesNoOrderOpen) {
  const std::string type = "tensor<3xf32>";
  const std::string canonical =
      "%n = stablehlo.constant dense<0x7FC00000> : tensor<f32>\n"
      "%i = stablehlo.compare NE, %p, %p, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "%j = stablehlo.compare NE, %q, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "%k = stablehlo.select %i, %n, %p : tensor<i1>, tensor<f32>\n"
      "%l = stablehlo.select %j, %n, %q : tensor<i1>, tensor<f32>\n"
      "%c = stablehlo.compare LT, %k, %l, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>";
  const Tensor sorted = EvaluateOps(type, "%x = stablehlo.add %a, %a : tensor<3xf32>\n" + SortBy(canonical), type,
                                    {F32({3}, {4, std::numeric_limits<double>::quiet_NaN(), 1})});
  EXPECT_THAT(OpenElements(sorted), Each(false));
}

TEST(UncertainOperandsTest, ATotalOrderOfANaNThatAnOpComputesIsOpenUnlessOnlyEqualityIsAsked) {
  const std::string type = "tensor<3xf32>";
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [direction, open] : {std::pair("LT", true), std::pair("EQ", false)}) {
    const Tensor t =
        EvaluateOps(type,
                    fmt::format("%x = stablehlo.add %a, %a : tensor<3xf32>\n%r = stablehlo.compare {}, %x, "
                                "%b, TOTALORDER : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>",
                                direction),
                    "tensor<3xi1>", {F32({3}, {nan, 1, nan}), F32({3}, {2, 2, nan})});
    ASSERT_TRUE(t.bound());
    EXPECT_EQ(t.bounds()[0] > 0, open) << direction;
    EXPECT_EQ(t.bounds()[1], 0) << direction;
    EXPECT_GT(t.bounds()[2], 0) << direction << ": two NaN may have the same bits or not";
  }
}

TEST(UncertainOperandsTest, WhatTheSignOfSuchAZeroDecidesIsOpen) {
  for (const std::string op : {"stablehlo.divide %a, %x : tensor<2xf32>", "stablehlo.rsqrt %x : tensor<2xf32>",
                               "stablehlo.atan2 %x, %b : tensor<2xf32>"}) {
    const Tensor t = EvaluateOps("tensor<2xf32>", kEitherZero + ("%r = " + op), "tensor<2xf32>", kZeros);
    EXPECT_THAT(OpenElements(t), ElementsAre(true, false)) << op;
  }
  const std::string bits = "%r = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2xi32>";
  EXPECT_THAT(OpenElements(EvaluateOps("tensor<2xf32>", kEitherZero + bits, "tensor<2xi32>", kZeros)),
              ElementsAre(true, false));
  const std::string less = "%r = stablehlo.compare LT, %x, %a, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>";
  EXPECT_THAT(OpenElements(EvaluateOps("tensor<2xf32>", kEitherZero + less, "tensor<2xi1>", kZeros)),
              ElementsAre(false, false));
}

TEST(UncertainOperandsTest, AFunctionOfAnUnboundedNumberMayBeNan) {
  const std::string sum =
      "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "%x = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<1x3xf32>, "
      "tensor<f32>) -> tensor<1xf32>\n%one = stablehlo.constant dense<1.0> : tensor<1xf32>\n";
  for (const std::string op :
       {"stablehlo.tanh %x : tensor<1xf32>", "stablehlo.sine %x : tensor<1xf32>",
        "stablehlo.logistic %x : tensor<1xf32>", "stablehlo.sign %x : tensor<1xf32>",
        "stablehlo.maximum %x, %one : tensor<1xf32>", "stablehlo.clamp %one, %x, %one : tensor<1xf32>"}) {
    const Tensor t = EvaluateOps("tensor<1x3xf32>", fmt::format("{}%r = {}", sum, op), "tensor<1xf32>",
                                 {F32({1, 3}, {3e38, 3e38, -3e38})});
    EXPECT_THAT(OpenElements(t), ElementsAre(true)) << op;
  }
  const Tensor test =
      EvaluateOps("tensor<1x3xf32>", sum + "%r = stablehlo.is_finite %x : (tensor<1xf32>) -> tensor<1xi1>",
                  "tensor<1xi1>", {F32({1, 3}, {3e38, 3e38, -3e38})});
  EXPECT_THAT(test.bounds(), ElementsAre(testing::Gt(0)));
}

TEST(UncertainOperandsTest, WhetherAnInexactNumberIsFiniteIsDecidedAwayFromTheGreatest) {
  const Tensor t = EvaluateOps("tensor<3xf32>",
                               "%x = stablehlo.exponential %a : tensor<3xf32>\n"
                               "%r = stablehlo.is_finite %x : (tensor<3xf32>) -> tensor<3xi1>",
                               "tensor<3xi1>", {F32({3}, {1, 88.722839, kNan})});
  EXPECT_THAT(t.bounds(), ElementsAre(0, testing::Gt(0), 0));
}

TEST(UncertainOperandsTest, TheBitsOfAnInexactNumberAreInexact) {
  const std::string text =
      "%x = stablehlo.exponential %a : tensor<2xf32>\n"
      "%r = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> ";
  const Tensor same = EvaluateOps("tensor<2xf32>", text + "tensor<2xi32>", "tensor<2xi32>", {F32({2}, {0.3, 2})});
  EXPECT_THAT(same.bounds(), Each(testing::AllOf(testing::Ge(3), testing::Lt(10)))) << "3 ULP";
  const Tensor narrow = EvaluateOps("tensor<2xf32>", text + "tensor<2x2xi16>", "tensor<2x2xi16>", {F32({2}, {0.3, 2})});
  EXPECT_THAT(OpenElements(narrow), Each(true));
}

TEST(UncertainOperandsTest, ATangentIsOpenWhereItsOperandMayBeAtAPole) {
  // exp(5.06) is 157.6 +- 2 ULP of bf16, which are 2.
  const Tensor t = EvaluateOps(
      "tensor<2xbf16>", "%x = stablehlo.exponential %a : tensor<2xbf16>\n%r = stablehlo.tan %x : tensor<2xbf16>",
      "tensor<2xbf16>", {Tensor::Of<double>(ElementType::kBf16, {2}, std::vector<double>{5.0625, 0})});
  EXPECT_THAT(OpenElements(t), ElementsAre(true, false));
}

TEST(UncertainOperandsTest, ExceptionsOfComplexFunctionsOfOneOperandAreOpen) {
  const std::vector<Complex> values = {{1, 2}, {kInf, 2}, {kNan, 1}, {1e200, 1}, {2, -0.0}};
  const Tensor z = Tensor::Of<Complex>(ElementType::kC128, {5}, values);
  const std::string type = "tensor<5xcomplex<f64>>";
  for (const std::string& op : {"stablehlo.log %a : " + type, "stablehlo.rsqrt %a : " + type,
                                "stablehlo.tanh %a : " + type, "chlo.asin %a : " + type + " -> " + type}) {
    EXPECT_THAT(OpenElements(EvaluateOps(type, fmt::format("%r = {}", op), type, {z})),
                ElementsAre(false, true, true, true, true))
        << op;
  }
  EXPECT_THAT(OpenElements(EvaluateOps(type, "%r = stablehlo.negate %a : " + type, type, {z})), Each(false));
}

TEST(UncertainOperandsTest, AFunctionOutsideOfItsDomainIsOpen) {
  const std::vector<Tensor> x = {F32({4}, {2, 1, 2, kNan}), F32({4}, {1, 1, -1, 1})};
  const std::string type = "tensor<4xf32>";
  const auto of = [&](const std::string& op) {
    return OpenElements(EvaluateOps(type, "%r = " + op + " %a, %b : " + type + ", " + type + " -> " + type, type, x));
  };
  EXPECT_THAT(of("chlo.zeta"), ElementsAre(false, true, true, true));
  EXPECT_THAT(of("chlo.polygamma"), ElementsAre(false, false, true, true));
}

TEST(UncertainOperandsTest, TheFactorOfASingularMatrixIsOpen) {
  const std::string type = "tensor<2x2xf32>";
  const auto of = [&](const std::vector<double>& matrix) {
    return OpenElements(
        EvaluateOps(type, "%r = stablehlo.cholesky %a, lower = true : " + type, type, {F32({2, 2}, matrix)}));
  };
  EXPECT_THAT(of({1, 1, 1, 1}), Each(true));
  EXPECT_THAT(of({1, 2, 2, 1}), Each(true)) << "not positive definite";
  EXPECT_THAT(of({2, 1, 1, 2}), Each(false));
}

TEST(UncertainOperandsTest, TheSumOfAnInverseTransformMayOverflowBeforeItIsDivided) {
  const auto of = [](double size) {
    const Tensor x = Tensor::Of<Complex>(ElementType::kC64, {5}, std::vector<Complex>{0, {0, size}, 0, 0, 0});
    return OpenElements(
        EvaluateOps("tensor<5xcomplex<f32>>",
                    "%r = stablehlo.fft %a, type = IRFFT, length = [8] : (tensor<5xcomplex<f32>>) -> tensor<8xf32>",
                    "tensor<8xf32>", {x}));
  };
  EXPECT_THAT(of(3.4e38), Each(true));
  EXPECT_THAT(of(1e37), Each(false));
}

TEST(UncertainOperandsTest, AGradientOfANormalizationIsOpenIfADifferenceFromTheMeanOverflows) {
  const std::string grad =
      "%g:3 = \"stablehlo.batch_norm_grad\"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-3 : f32, feature_index = 0 : i64}> : "
      "(tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> "
      "(tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)\n%r = stablehlo.negate %g#0 : tensor<2xf32>";
  const Tensor one = F32({2}, {1, 1});
  const Tensor t = EvaluateOps("tensor<2xf32>", grad, "tensor<2xf32>",
                               {F32({2}, {3e38, 3}), one, F32({2}, {-3e38, 1}), one, F32({2}, {0, 0})});
  EXPECT_THAT(OpenElements(t), ElementsAre(true, false));
}

TEST(UncertainOperandsTest, AComparatorThatIsNoOrderOpensItsLines) {
  const std::string sort = R"(%r = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<3x3xf32>) -> tensor<3x3xf32>)";
  const Tensor t =
      EvaluateOps("tensor<3x3xf32>", sort, "tensor<3x3xf32>", {F32({3, 3}, {0, 1, -0.0, 2, 2, 3, 5, 4, 6})});
  EXPECT_THAT(OpenElements(t), ElementsAre(true, true, true, false, false, false, false, false, false))
      << "zeros of both signs are each less than the other; equal elements of the same bits have one order";
}

}  // namespace
}  // namespace opbyop::reference
