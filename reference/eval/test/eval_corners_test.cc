// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Corner cases of the semantics: special values, ends of ranges, indices out of bounds, order.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference/bounds/compare.h"
#include "reference/eval/evaluate_text.h"
#include "reference/eval/test/one_result.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Evaluates one elementwise op with `attributes` on %a, or on %a and %b, of `type`.
Tensor Through(const std::string& op, const std::string& type, const std::string& attributes, Values arguments,
               EvalOptions options = {}) {
  const bool binary = arguments.size() == 2;
  return OneResult("func.func @main(%a: " + type + (binary ? ", %b: " + type : "") + ") -> " + type +
                       " {\n  %0 = stablehlo." + op + (binary ? " %a, %b" : " %a") + attributes + " : " + type +
                       "\n  return %0 : " + type + "\n}\n",
                   std::move(arguments), std::move(options));
}

Tensor Through(const std::string& op, const std::string& type, Values arguments, EvalOptions options = {}) {
  return Through(op, type, "", std::move(arguments), std::move(options));
}

// In an IEEE format of 1 + 4 + 3 bits, 448 exceeds the greatest number 240 and becomes an infinity. In f8E4M3FN it is
// the greatest number.
TEST(EvalCornersTest, ReducePrecisionToTheOperandsOwnExponentBitsMayKeepItsRange) {
  const Tensor x = Tensor::Of<double>(ElementType::kF8E4M3Fn, {3}, {448, 240, 0x1p-9});
  const Tensor fn = Through("reduce_precision", "tensor<3xf8E4M3FN>", ", format = e4m3", {x}, {.bounds = true});
  ASSERT_FALSE(fn.bounds().empty());
  EXPECT_EQ(fn.bounds()[0], kInf);
  EXPECT_EQ(fn.bounds()[1], 0);
  EXPECT_EQ(fn.bounds()[2], 0) << "a subnormal number of both";

  const Tensor y = Tensor::Of<double>(ElementType::kF8E4M3Fnuz, {2}, {0x1p-9, 0x1p-6});
  const Tensor fnuz = Through("reduce_precision", "tensor<2xf8E4M3FNUZ>", ", format = e4m3", {y}, {.bounds = true});
  EXPECT_EQ(fnuz.data<double>()[0], 0);
  EXPECT_EQ(fnuz.bounds()[0], 0x1p-9);
  EXPECT_EQ(fnuz.bounds()[1], 0);
}

TEST(EvalCornersTest, ReducePrecisionToFewerBitsHasOneRange) {
  const Tensor x = Tensor::Of<double>(ElementType::kF8E4M3Fn, {2}, {448, 0x1p-9});
  const Tensor t = Through("reduce_precision", "tensor<2xf8E4M3FN>", ", format = e3m3", {x}, {.bounds = true});
  EXPECT_TRUE(std::isnan(t.data<double>()[0]));
  EXPECT_TRUE(t.bounds().empty());
}

TEST(EvalCornersTest, TheImaginaryPartOfATypeWithoutZeroIsWhatZeroConvertsTo) {
  const Tensor x = Tensor::Of<double>(ElementType::kF8E8M0Fnu, {1}, {2});
  const Tensor part = Through("imag", "tensor<1xf8E8M0FNU>", {x});
  EXPECT_EQ(part.data<double>()[0], 0x1p-127);
}

TEST(EvalCornersTest, NegativeZeroKeepsItsSign) {
  EXPECT_TRUE(std::signbit(Through("add", "tensor<1xf32>", {F32({1}, {-0.0}), F32({1}, {-0.0})}).data<double>()[0]));
  EXPECT_FALSE(std::signbit(Through("add", "tensor<1xf32>", {F32({1}, {-0.0}), F32({1}, {0.0})}).data<double>()[0]));
  EXPECT_TRUE(std::signbit(Through("multiply", "tensor<1xf32>", {F32({1}, {-1}), F32({1}, {0.0})}).data<double>()[0]));
  for (const char* op : {"floor", "ceil", "round_nearest_even", "round_nearest_afz", "sqrt", "sine", "sign", "cbrt"}) {
    EXPECT_TRUE(std::signbit(Through(op, "tensor<1xf32>", {F32({1}, {-0.0})}).data<double>()[0])) << op;
  }
}

Tensor ComplexF64(std::vector<Complex> values) {
  return Tensor::Of<Complex>(ElementType::kC128, {static_cast<int64_t>(values.size())}, values);
}

std::vector<bool> Open(const Tensor& t) {
  std::vector<bool> open;
  for (int64_t i = 0; i < t.size(); ++i) {
    open.push_back(!t.bounds().empty() && t.bounds()[static_cast<size_t>(i)] == kInf);
  }
  return open;
}

TEST(EvalCornersTest, TheOrderOfComplexNumbersWithNanIsOpen) {
  const Tensor a = ComplexF64({{1, 2}, {kNan, 2}, {1, 2}, {kInf, 0}});
  const Tensor b = ComplexF64({{1, 3}, {1, 2}, {1, kNan}, {1, 0}});
  for (const char* op : {"maximum", "minimum"}) {
    const Tensor t = Through(op, "tensor<4xcomplex<f64>>", {a, b}, {.bounds = true});
    EXPECT_THAT(Open(t), ElementsAre(false, true, true, false)) << op;
  }
}

TEST(EvalCornersTest, AnElementLeftOpenByNanStaysOpenInAReduction) {
  const Expected<Values> r = EvaluateText(
      R"(func.func @main(%a: tensor<2x3xcomplex<f64>>, %i: tensor<complex<f64>>) -> tensor<2xcomplex<f64>> {
    %0 = stablehlo.reduce(%a init: %i) applies stablehlo.maximum across dimensions = [1]
      : (tensor<2x3xcomplex<f64>>, tensor<complex<f64>>) -> tensor<2xcomplex<f64>>
    return %0 : tensor<2xcomplex<f64>>
  })",
      {ComplexF64({{1, 2}, {kNan, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 3}}).Reshaped({2, 3}),
       ComplexF64({{0, 0}}).Reshaped({})},
      {.bounds = true});
  ASSERT_TRUE(r.has_value()) << r.error().message;
  EXPECT_THAT(Open((*r)[0].tensor()), ElementsAre(true, false));
}

TEST(EvalCornersTest, ExceptionalValuesOfComplexFunctionsAreOpen) {
  const Tensor a = ComplexF64({{1, 2}, {kInf, 2}, {1, 2}, {0, 0}});
  const Tensor b = ComplexF64({{2, 1}, {1, 2}, {kNan, 0}, {0, 0}});
  const auto through = [&](const char* op) {
    return Open(Through(op, "tensor<4xcomplex<f64>>", {a, b}, {.bounds = true}));
  };
  EXPECT_THAT(through("multiply"), ElementsAre(false, true, true, false));
  EXPECT_THAT(through("divide"), ElementsAre(false, true, true, true));
  EXPECT_THAT(through("power"), ElementsAre(false, true, true, false));
  EXPECT_THAT(through("atan2"), ElementsAre(false, true, true, true));
  // The formula of atan2 has squares, and that of power an exponential, which may overflow.
  const auto of = [&](const char* op, Complex x, Complex y) -> bool {
    return Open(Through(op, "tensor<1xcomplex<f64>>", {ComplexF64({x}), ComplexF64({y})}, {.bounds = true}))[0];
  };
  EXPECT_TRUE(of("atan2", {1e200, 0}, {1, 1}));
  EXPECT_TRUE(of("power", {1e200, 0}, {2, 1}));
  EXPECT_FALSE(of("power", {1e100, 0}, {2, 1}));
  // A complex sum adds the parts separately, so that no exception is open.
  EXPECT_THAT(through("add"), ElementsAre(false, false, false, false));
}

// IEEE 754's hypot is infinite there, and the root of a sum of squares is NaN.
TEST(EvalCornersTest, TheModulusOfAnInfinityAndNanIsOpen) {
  const Expected<Values> r = EvaluateText(
      R"(func.func @main(%z: tensor<5xcomplex<f64>>) -> tensor<5xf64> {
    %0 = stablehlo.abs %z : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    return %0 : tensor<5xf64>
  })",
      {ComplexF64({{kInf, kNan}, {kNan, -kInf}, {kInf, 1}, {kNan, 1}, {3, 4}})}, {.bounds = true});
  ASSERT_TRUE(r.has_value()) << r.error().message;
  EXPECT_THAT(Open((*r)[0].tensor()), ElementsAre(true, true, false, false, false));
}

TEST(EvalCornersTest, TopKOfNumbersWithNanIsOpen) {
  const Expected<Values> r =
      EvaluateText(R"(func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>) {
    %0, %1 = chlo.top_k(%a, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
    return %0, %1 : tensor<2x2xf32>, tensor<2x2xi32>
  })",
                   {F32({2, 3}, {1, kNan, 2, 5, 4, 3})}, {.bounds = true});
  ASSERT_TRUE(r.has_value()) << r.error().message;
  EXPECT_THAT(Open((*r)[0].tensor()), ElementsAre(true, true, false, false));
  EXPECT_THAT(Open((*r)[1].tensor()), ElementsAre(true, true, false, false));
}

// The bounds of the places that top_k gives.
std::vector<double> BoundsOfPlaces(const std::string& flags, const std::vector<double>& numbers) {
  const Expected<Values> r =
      EvaluateText(fmt::format(R"(func.func @main(%a: tensor<5xf32>) -> (tensor<3xf32>, tensor<3xi32>) {{
    %0, %1 = chlo.top_k(%a, k = 3{}) : tensor<5xf32> -> (tensor<3xf32>, tensor<3xi32>)
    return %0, %1 : tensor<3xf32>, tensor<3xi32>
  }})",
                               flags),
                   {F32({5}, numbers)}, {.bounds = true});
  EXPECT_TRUE(r.has_value()) << r.error().message;
  const std::span<const double> bounds = (*r)[1].tensor().bounds();
  return bounds.empty() ? std::vector<double>(3) : std::vector<double>(bounds.begin(), bounds.end());
}

TEST(EvalCornersTest, TopKMayHaveZerosInTheOrderOfTheirSignsOrOfTheirPlaces) {
  EXPECT_THAT(BoundsOfPlaces("", {-0.0, 1, 0, -1, -2}), ElementsAre(0, 2, 2));
  EXPECT_THAT(BoundsOfPlaces("", {0.0, 1, -0.0, -1, -2}), ElementsAre(0, 0, 0)) << "both orders are the same";
  EXPECT_THAT(BoundsOfPlaces("", {5, 5, 5, 5, 5}), ElementsAre(0, 0, 0)) << "equal elements by place";
}

TEST(EvalCornersTest, TopKThatIsNotStableMayHaveEqualElementsInAnyOrder) {
  EXPECT_THAT(BoundsOfPlaces(", is_stable = false", {4, 5, 4, 3, 4}), ElementsAre(0, 4, 2));
  EXPECT_THAT(BoundsOfPlaces(", is_stable = true", {4, 5, 4, 3, 4}), ElementsAre(0, 0, 0));
}

TEST(EvalCornersTest, TheGradientOfANormalizationMayLoseSubnormalSteps) {
  const double least = 0x1p-1074;
  const auto f64 = [](Shape shape, std::vector<double> v) { return Tensor::Of<double>(ElementType::kF64, shape, v); };
  const Expected<Values> r = EvaluateText(
      R"(func.func @main(%x: tensor<2x1xf64>, %s: tensor<1xf64>, %m: tensor<1xf64>,
      %v: tensor<1xf64>, %g: tensor<2x1xf64>) -> tensor<2x1xf64> {
    %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) <{epsilon = 1.0 : f32, feature_index = 1 : i64}>
      : (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<2x1xf64>)
      -> (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>)
    return %0#0 : tensor<2x1xf64>
  })",
      {f64({2, 1}, {0, 0}), f64({1}, {4}), f64({1}, {0}), f64({1}, {0}), f64({2, 1}, {least, 0})}, {.bounds = true});
  ASSERT_TRUE(r.has_value()) << r.error().message;
  const Tensor t = (*r)[0].tensor();
  // A device that rounds the mean S / n to zero in scale (g - S / n) is right too.
  EXPECT_LE(4 * least - t.data<double>()[0], t.bounds()[0]);
  EXPECT_LE(t.bounds()[0], 32 * least);
}

TEST(EvalCornersTest, TheGradientOfANormalizationMayFlushSubnormalSteps) {
  const Expected<Values> r = EvaluateText(
      R"(func.func @main(%x: tensor<2x1xf32>, %s: tensor<1xf32>, %m: tensor<1xf32>,
      %v: tensor<1xf32>, %g: tensor<2x1xf32>) -> tensor<2x1xf32> {
    %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) <{epsilon = 1.0 : f32, feature_index = 1 : i64}>
      : (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<2x1xf32>)
      -> (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>)
    return %0#0 : tensor<2x1xf32>
  })",
      {F32({2, 1}, {0, 0}), F32({1}, {4}), F32({1}, {0}), F32({1}, {0}), F32({2, 1}, {0x1p-126, 0})},
      {.bounds = true, .flushes = true});
  ASSERT_TRUE(r.has_value()) << r.error().message;
  const Tensor t = (*r)[0].tensor();
  // The mean S / n is subnormal: a device that flushes it has scale g for scale (g - S / n).
  EXPECT_EQ(t.data<double>()[0], 0x1p-125);
  EXPECT_LE(0x1p-124 - t.data<double>()[0], t.bounds()[0]);
  EXPECT_LE(t.bounds()[0], 0x1p-118);
}

TEST(EvalCornersTest, ASolutionMayFlushSubnormalProducts) {
  const Expected<Values> r = EvaluateText(
      R"(func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x1xf32>) -> tensor<2x1xf32> {
    %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false,
      transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    return %0 : tensor<2x1xf32>
  })",
      {F32({2, 2}, {1, 0, 0.5, 1}), F32({2, 1}, {0x1p-126, 0x1p-125})}, {.bounds = true, .flushes = true});
  ASSERT_TRUE(r.has_value()) << r.error().message;
  const Tensor t = (*r)[0].tensor();
  // Half of the first unknown is subnormal: a device that flushes it leaves the right side as it is.
  EXPECT_EQ(t.data<double>()[1], 0x1.8p-126);
  EXPECT_LE(0x1p-125 - t.data<double>()[1], t.bounds()[1]);
  EXPECT_LE(t.bounds()[1], 0x1p-124);
}

// P (x - mean) overflows before it is divided by the variance, and so may n times the variance.
TEST(EvalCornersTest, TheGradientOfANormalizationIsOpenWhereAStepMayOverflow) {
  const Expected<Values> r = EvaluateText(
      R"(func.func @main(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %m: tensor<3xf32>,
      %v: tensor<3xf32>, %g: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}>
      : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>)
      -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
    return %0#0 : tensor<2x3xf32>
  })",
      {F32({2, 3}, {1, 0x1p70, 1, 2, 0x1p71, 2}), F32({3}, {1, 1, 1}), F32({3}, {0, 0, 0}),
       F32({3}, {0x1.8p127, 0x1p125, 1}), F32({2, 3}, {1, 1, 1, 1, 1, 1})},
      {.bounds = true});
  ASSERT_TRUE(r.has_value()) << r.error().message;
  EXPECT_THAT(Open((*r)[0].tensor()), ElementsAre(true, true, false, true, true, false));
}

// If the variance overflows, E[x^2] - E[x]^2 may be NaN, and an infinite offset does not make a number of that.
TEST(EvalCornersTest, ANormalizationWhoseMomentsMayOverflowIsOpenWhateverItsOffset) {
  const std::string text =
      R"(func.func @main(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>) -> tensor<2x3xf32> {
    %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}>
      : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
    return %0#0 : tensor<2x3xf32>
  })";
  // Features: one that overflows, one of ordinary numbers, one that overflows next to NaN.
  const auto results = EvaluateText(
      text, {F32({2, 3}, {0x1p100, 1, 0x1p100, 0, 2, kNan}), F32({3}, {1, 1, 1}), F32({3}, {-kInf, -kInf, -kInf})},
      {.bounds = true});
  const Tensor out = results.value()[0].tensor();
  EXPECT_EQ(out.bounds()[0], kInf);
  EXPECT_EQ(out.bounds()[1], 0) << "a number beside an infinite offset";
  EXPECT_EQ(out.bounds()[2], 0) << "NaN, whatever the order";
}

TEST(EvalCornersTest, AComplexLogarithmNextToItsPoleIsAccurate) {
  const Tensor t = Through("log_plus_one", "tensor<1xcomplex<f64>>", {ComplexF64({{-1, 2.2828722477733498e-05}})});
  EXPECT_NEAR(t.data<Complex>()[0].real(), -10.6874910570376225, 4e-15);
}

TEST(EvalCornersTest, SubnormalsAreNumbers) {
  const double least = 0x1p-149;
  EXPECT_EQ(Through("add", "tensor<1xf32>", {F32({1}, {least}), F32({1}, {least})}).data<double>()[0], 2 * least);
  EXPECT_EQ(Through("multiply", "tensor<1xf32>", {F32({1}, {0x1p-126}), F32({1}, {0.5})}).data<double>()[0], 0x1p-127);
  EXPECT_EQ(Through("abs", "tensor<1xf32>", {F32({1}, {-least})}).data<double>()[0], least);
  // Half of the least subnormal is a tie that goes to even, which is zero. Three quarters of it round up.
  EXPECT_EQ(Through("multiply", "tensor<1xf32>", {F32({1}, {least}), F32({1}, {0.5})}).data<double>()[0], 0);
  EXPECT_EQ(Through("multiply", "tensor<1xf32>", {F32({1}, {least}), F32({1}, {0.75})}).data<double>()[0], least);
}

TEST(EvalCornersTest, OverflowFollowsTheFormat) {
  EXPECT_EQ(Through("add", "tensor<1xf32>", {F32({1}, {3e38}), F32({1}, {3e38})}).data<double>()[0], kInf);
  const auto twice = [](ElementType type, const std::string& name, double v) {
    const Tensor x = Tensor::Of<double>(type, {1}, {v});
    return Through("add", "tensor<1x" + name + ">", {x, x}).data<double>()[0];
  };
  EXPECT_EQ(twice(ElementType::kF16, "f16", 65504), kInf);
  EXPECT_TRUE(std::isnan(twice(ElementType::kF8E4M3Fn, "f8E4M3FN", 448)));
  EXPECT_EQ(twice(ElementType::kF8E5M2, "f8E5M2", 57344), kInf);
  EXPECT_EQ(twice(ElementType::kF4E2M1Fn, "f4E2M1FN", 6), 6);
  EXPECT_EQ(twice(ElementType::kF6E3M2Fn, "f6E3M2FN", 28), 28);
}

TEST(EvalCornersTest, NanPropagatesAndInfinitiesCancelToNan) {
  EXPECT_TRUE(std::isnan(Through("add", "tensor<1xf32>", {F32({1}, {kInf}), F32({1}, {-kInf})}).data<double>()[0]));
  EXPECT_TRUE(std::isnan(Through("multiply", "tensor<1xf32>", {F32({1}, {kInf}), F32({1}, {0})}).data<double>()[0]));
  EXPECT_TRUE(std::isnan(Through("minimum", "tensor<1xf32>", {F32({1}, {kNan}), F32({1}, {1})}).data<double>()[0]));
  EXPECT_TRUE(std::isnan(Through("sign", "tensor<1xf32>", {F32({1}, {kNan})}).data<double>()[0]));
  EXPECT_EQ(Through("power", "tensor<1xf32>", {F32({1}, {kNan}), F32({1}, {0})}).data<double>()[0], 1);
}

TEST(EvalCornersTest, IntegersWrapAndTheLeastHasNoNegative) {
  const auto i4 = [](int64_t v) { return Tensor::Of<int64_t>(ElementType::kI4, {1}, {v}); };
  EXPECT_EQ(Through("negate", "tensor<1xi4>", {i4(-8)}).IntegerAt(0), -8);
  EXPECT_EQ(Through("abs", "tensor<1xi4>", {i4(-8)}).IntegerAt(0), -8);
  EXPECT_EQ(Through("multiply", "tensor<1xi4>", {i4(7), i4(7)}).IntegerAt(0), 1);
  const Tensor most = Tensor::Of<int64_t>(ElementType::kUi64, {1}, {-1});
  EXPECT_EQ(Through("add", "tensor<1xui64>", {most, Tensor::Of<int64_t>(ElementType::kUi64, {1}, {2})}).IntegerAt(0),
            1);
}

TEST(EvalCornersTest, ShiftsBeyondTheWidthGiveZeroOrTheSign) {
  const auto i8 = [](int64_t v) { return Tensor::Of<int64_t>(ElementType::kI8, {1}, {v}); };
  for (const int64_t by : {8, 100, -1}) {
    EXPECT_EQ(Through("shift_left", "tensor<1xi8>", {i8(-1), i8(by)}).IntegerAt(0), 0) << by;
    EXPECT_EQ(Through("shift_right_logical", "tensor<1xi8>", {i8(-1), i8(by)}).IntegerAt(0), 0) << by;
    EXPECT_EQ(Through("shift_right_arithmetic", "tensor<1xi8>", {i8(-2), i8(by)}).IntegerAt(0), -1) << by;
    EXPECT_EQ(Through("shift_right_arithmetic", "tensor<1xi8>", {i8(2), i8(by)}).IntegerAt(0), 0) << by;
  }
}

TEST(EvalCornersTest, DynamicSliceClampsItsStart) {
  const std::string text = R"(func.func @main(%a: tensor<4xi32>, %i: tensor<i32>) -> tensor<2xi32> {
    %0 = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  })";
  const Tensor a = I32({4}, {1, 2, 3, 4});
  EXPECT_THAT(Elements<int64_t>(OneResult(text, {a, I32({}, {-5})})), ElementsAre(1, 2));
  EXPECT_THAT(Elements<int64_t>(OneResult(text, {a, I32({}, {99})})), ElementsAre(3, 4));
}

TEST(EvalCornersTest, GatherClampsAndScatterDropsIndicesOutside) {
  EXPECT_THAT(Elements<int64_t>(OneResult(R"(func.func @main(%a: tensor<3xi32>, %i: tensor<3x1xi32>) -> tensor<3xi32> {
    %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}>
      : (tensor<3xi32>, tensor<3x1xi32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  })",
                                          {I32({3}, {10, 20, 30}), I32({3, 1}, {-7, 1, 7})})),
              ElementsAre(10, 20, 30));
  EXPECT_THAT(Elements<int64_t>(OneResult(
                  R"(func.func @main(%a: tensor<3xi32>, %i: tensor<3x1xi32>, %u: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "stablehlo.scatter"(%a, %i, %u) ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        stablehlo.return %y : tensor<i32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>} : (tensor<3xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  })",
                  {I32({3}, {10, 20, 30}), I32({3, 1}, {-1, 1, 3}), I32({3}, {1, 2, 3})})),
              ElementsAre(10, 2, 30));
}

TEST(EvalCornersTest, TheSignOfAZeroThatAScatterOfMinimaGivesIsOpen) {
  const auto result = EvaluateText(R"(func.func @main(%a: tensor<2xf32>, %u: tensor<2xf32>) -> tensor<2xf32> {
    %i = stablehlo.constant dense<[[0], [1]]> : tensor<2x1xi32>
    %0 = "stablehlo.scatter"(%a, %i, %u) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %m = stablehlo.minimum %x, %y : tensor<f32>
        stablehlo.return %m : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>} : (tensor<2xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                                   {F32({2}, {-0.0, 1}), F32({2}, {0.0, 2})}, {.bounds = true});
  ASSERT_TRUE(result) << result.error().message;
  const Tensor& minima = result->front().tensor();
  ASSERT_NE(minima.bound(), nullptr);
  EXPECT_TRUE(minima.bound()->zero_sign_free);
  EXPECT_TRUE(minima.bounds().empty()) << "the values are exact";
}

TEST(EvalCornersTest, SortIsStableAndTotalOrderPutsNanLast) {
  const std::string text = R"(func.func @main(%a: tensor<6xf32>, %i: tensor<6xi32>) -> tensor<6xi32> {
    %0:2 = "stablehlo.sort"(%a, %i) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
        %c = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<6xf32>, tensor<6xi32>) -> (tensor<6xf32>, tensor<6xi32>)
    return %0#1 : tensor<6xi32>
  })";
  const Tensor order = I32({6}, {0, 1, 2, 3, 4, 5});
  EXPECT_THAT(Elements<int64_t>(OneResult(text, {F32({6}, {kNan, 1, 0.0, -0.0, 1, -kNan}), order})),
              ElementsAre(5, 3, 2, 1, 4, 0));
}

TEST(EvalCornersTest, ALineWithNanSortedByLessIsOpenAndOthersAreNot) {
  const std::string text =
      R"(func.func @main(%a: tensor<2x2xf32>, %i: tensor<2x2xi32>) -> (tensor<2x2xf32>, tensor<2x2xi32>) {
    %0:2 = "stablehlo.sort"(%a, %i) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
        %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<2x2xf32>, tensor<2x2xi32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
    return %0#0, %0#1 : tensor<2x2xf32>, tensor<2x2xi32>
  })";
  const auto results = EvaluateText(text, {F32({2, 2}, {kNan, 2, 1, 1}), I32({2, 2}, {0, 1, 2, 3})}, {.bounds = true});
  for (const Value& result : results.value()) {
    EXPECT_THAT(result.tensor().bounds(), ElementsAre(kInf, 0, kInf, 0));
  }
}

TEST(EvalCornersTest, ASystemWhoseRightSideIsNanIsOpenAndOthersAreNot) {
  const std::string text = R"(func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = true,
      transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  })";
  const auto results =
      EvaluateText(text, {F32({2, 2}, {1, 0, 0.5, 1}), F32({2, 2}, {kNan, 1, 1, 2})}, {.bounds = true});
  const std::span<const double> bounds = results.value()[0].tensor().bounds();
  EXPECT_EQ(bounds[1], kInf) << "NaN reaches the second unknown in an algorithm that multiplies by an inverse";
  EXPECT_LT(bounds[2], 1);
  EXPECT_LT(bounds[3], 1);
}

TEST(EvalCornersTest, ASystemWhosePartialSumsMayOverflowIsOpen) {
  const std::string text = R"(func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false,
      transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  })";
  const auto results =
      EvaluateText(text, {F32({2, 2}, {1, 0, 2, 1}), F32({2, 2}, {0x1p127, 1, 0x1p127, 1})}, {.bounds = true});
  const std::span<const double> bounds = results.value()[0].tensor().bounds();
  EXPECT_EQ(bounds[2], kInf) << "2^127 - 2 * 2^127 is a number, but 2 * 2^127 is none";
  EXPECT_LT(bounds[0], kInf);
  EXPECT_LT(bounds[3], 1);
}

TEST(EvalCornersTest, RoundingHappensOnce) {
  // 1 + 2^-11 + 2^-25 in f16: if it were rounded to f32 first, the last part would be lost and the tie would go to
  // even.
  const Tensor x = Tensor::Of<double>(ElementType::kF64, {1}, {1 + 0x1p-11 + 0x1p-25});
  EXPECT_EQ(OneResult(R"(func.func @main(%a: tensor<1xf64>) -> tensor<1xf16> {
    %0 = stablehlo.convert %a : (tensor<1xf64>) -> tensor<1xf16>
    return %0 : tensor<1xf16>
  })",
                      {x})
                .data<double>()[0],
            1 + 0x1p-10);
}

TEST(EvalCornersTest, ConversionsToNarrowTypesMayGoThroughF32) {
  constexpr int64_t kTie =
      (int64_t{1} << 40) + (int64_t{1} << 32) + 1;  // a tie except for its last bit, which f32 loses
  const Tensor x = Tensor::Of<int64_t>(ElementType::kI64, {2}, {kTie, (int64_t{1} << 40) + (int64_t{1} << 31)});
  const auto results = EvaluateText(R"(func.func @main(%a: tensor<2xi64>) -> tensor<2xbf16> {
    %0 = stablehlo.convert %a : (tensor<2xi64>) -> tensor<2xbf16>
    return %0 : tensor<2xbf16>
  })",
                                    {x}, {.bounds = true});
  const auto accepts = [&](double first, double second) {
    const Tensor got = Tensor::Of<double>(ElementType::kBf16, {2}, {first, second});
    return RatioIfAccepted((*results)[0].tensor(), TensorToBytes(got)).has_value();
  };
  EXPECT_TRUE(accepts(0x1.02p40, 0x1p40));
  EXPECT_TRUE(accepts(0x1p40, 0x1p40));
  EXPECT_FALSE(accepts(0x1.06p40, 0x1p40));
  EXPECT_FALSE(accepts(0x1.02p40, 0x1.02p40)) << "once is enough where nothing ties";
}

TEST(EvalCornersTest, MissingAndElidedDataAreErrors) {
  for (const char* key : {"missing", "__elided__"}) {
    const Expected<Values> results =
        EvaluateText("func.func @main() -> tensor<4xf32> {\n  %0 = stablehlo.constant dense_resource<" +
                     std::string(key) + "> : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n");
    ASSERT_FALSE(results.has_value()) << key;
    EXPECT_EQ(results.error().code, ExitCode::kBadInput) << key;
    EXPECT_THAT(results.error().message, HasSubstr(key));
  }
}

TEST(EvalCornersTest, SetDimensionSizeCutsAndGetDimensionSizeReturnsTheSize) {
  EXPECT_THAT(Elements<int64_t>(OneResult(R"(func.func @main(%a: tensor<4xi32>, %n: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.set_dimension_size %a, %n, dim = 0
      : (tensor<4xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<4>>
    %1 = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?xi32, #stablehlo.bounds<4>>) -> tensor<i32>
    return %1 : tensor<i32>
  })",
                                          {I32({4}, {1, 2, 3, 4}), I32({}, {3})})),
              ElementsAre(3));
}

TEST(EvalCornersTest, AsinAndAcosFollowFromTheAsinAcosKernel) {
  const Complex z(0.7, -0.3);
  const Tensor w = OneResult(R"(func.func @main(%a: tensor<1xcomplex<f64>>) -> tensor<1xcomplex<f64>> {
    %0 = chlo._asin_acos_kernel %a : tensor<1xcomplex<f64>> -> tensor<1xcomplex<f64>>
    return %0 : tensor<1xcomplex<f64>>
  })",
                             {Tensor::Of<Complex>(ElementType::kC128, {1}, {z})});
  const Complex kernel = w.data<Complex>()[0];
  const Complex asin = std::asin(z);
  EXPECT_NEAR(std::atan2(z.real(), kernel.real()), asin.real(), 1e-15);
  EXPECT_NEAR(-kernel.imag(), asin.imag(), 1e-15);
}

TEST(EvalCornersTest, AFusedProductMayNotOverflow) {
  // 3e38 * 2 is infinite, but fma(3e38, 2, -inf) is -inf. If a factor is infinite itself, nothing is open.
  const Expected<Values> r =
      EvaluateText(R"(func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.multiply %a, %b : tensor<3xf32>
    %1 = stablehlo.add %0, %c : tensor<3xf32>
    return %1 : tensor<3xf32>
  })",
                   {F32({3}, {3e38, kInf, 2}), F32({3}, {2, 2, 3}), F32({3}, {-kInf, -kInf, 1})}, {.bounds = true});
  ASSERT_TRUE(r.has_value()) << r.error().message;
  const Tensor& t = (*r)[0].tensor();
  EXPECT_TRUE(std::isnan(t.data<double>()[0]));
  EXPECT_EQ(t.bounds()[0], kInf);
  EXPECT_EQ(t.bounds()[1], 0);
  EXPECT_EQ(t.bounds()[2], 0);
}

TEST(EvalCornersTest, AnUndecidedSelectionBetweenANumberAndNanIsOpen) {
  // Rounding decides whether cos(1) is above 0.5403023.
  const Expected<Values> r =
      EvaluateText(R"(func.func @main(%x: tensor<2xf32>, %a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.cosine %x : tensor<2xf32>
    %1 = stablehlo.constant dense<0.5403023> : tensor<2xf32>
    %2 = stablehlo.compare GT, %0, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %3 = stablehlo.select %2, %a, %b : tensor<2xi1>, tensor<2xf32>
    return %3 : tensor<2xf32>
  })",
                   {F32({2}, {1, 1}), F32({2}, {kNan, kInf}), F32({2}, {2, kInf})}, {.bounds = true});
  ASSERT_TRUE(r.has_value()) << r.error().message;
  EXPECT_THAT((*r)[0].tensor().bounds(), ElementsAre(kInf, 0));
}

TEST(EvalCornersTest, BitsOfTheDefaultAlgorithmAreOpen) {
  for (const char* algorithm : {"DEFAULT", "THREE_FRY"}) {
    const Expected<Values> r =
        EvaluateText(std::string("func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>) {\n") +
                         "  %0:2 = stablehlo.rng_bit_generator %s, algorithm = " + algorithm +
                         " : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)\n" +
                         "  return %0#0, %0#1 : tensor<2xui64>, tensor<4xui32>\n}\n",
                     {Tensor::Of<int64_t>(ElementType::kUi64, {2}, std::vector<int64_t>{1, 2})}, {.bounds = true});
    ASSERT_TRUE(r.has_value()) << r.error().message;
    for (const Value& result : *r) {
      EXPECT_EQ(result.tensor().bound() && result.tensor().bound()->random, algorithm == std::string("DEFAULT"));
    }
  }
}

// -inf + 3e38 * 2 is NaN, or -inf if it is fused. It has no finite bound, nor has a value computed from it.
Tensor OfAnOpenNan(const std::string& ops, const std::string& type) {
  return OneResult("func.func @main(%a: tensor<1xf32>, %b: tensor<1xf32>, %c: tensor<1xf32>) -> " + type + R"( {
    %0 = stablehlo.multiply %a, %b : tensor<1xf32>
    %1 = stablehlo.add %0, %c : tensor<1xf32>
    )" + ops +
                       "\n    return %2 : " + type + "\n}\n",
                   {F32({1}, {3e38}), F32({1}, {2}), F32({1}, {-kInf})}, {.bounds = true});
}

TEST(EvalCornersTest, AFunctionOfANanThatMayBeANumberIsOpen) {
  for (const char* op : {"abs", "negate", "sine", "tanh", "floor"}) {
    const std::string text = std::string("%2 = stablehlo.") + op + " %1 : tensor<1xf32>";
    EXPECT_THAT(Open(OfAnOpenNan(text, "tensor<1xf32>")), ElementsAre(true)) << op;
  }
}

// Some devices give NaN there, others the limit from one side. A device that takes subnormal numbers for zero has its
// pole at them.
TEST(EvalCornersTest, DigammaIsOpenAtItsPolesAndNotNextToThem) {
  const Tensor t = OneResult(
      "func.func @main(%a: tensor<5xf32>) -> tensor<5xf32> {\n"
      "  %0 = chlo.digamma %a : tensor<5xf32> -> tensor<5xf32>\n  return %0 : tensor<5xf32>\n}\n",
      {F32({5}, {0, -0.0, -3, 1e-30, std::numeric_limits<double>::quiet_NaN()})}, {.bounds = true});
  EXPECT_THAT(Open(t), ElementsAre(true, true, true, false, false));
}

// The fraction of a negative number next to zero is 1 when it is rounded, where the cotangent has its pole.
TEST(EvalCornersTest, DigammaOfANegativeNumberNextToZeroIsItsReciprocal) {
  const Tensor t = OneResult(
      "func.func @main(%a: tensor<2xf64>) -> tensor<2xf64> {\n"
      "  %0 = chlo.digamma %a : tensor<2xf64> -> tensor<2xf64>\n  return %0 : tensor<2xf64>\n}\n",
      {Tensor::Of<double>(ElementType::kF64, {2}, std::vector<double>{-1e-38, -1e-300})});
  EXPECT_DOUBLE_EQ(t.data<double>()[0], 1e38);
  EXPECT_DOUBLE_EQ(t.data<double>()[1], 1e300);
}

TEST(EvalCornersTest, AComparisonOfANanThatMayBeANumberIsUndecided) {
  const Tensor t =
      OfAnOpenNan("%2 = stablehlo.compare LT, %1, %a : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>", "tensor<1xi1>");
  EXPECT_GT(t.bounds()[0], 0);
}

TEST(EvalCornersTest, ARemainderOfWhatMayBeANumberIsOpen) {
  EXPECT_THAT(Open(OfAnOpenNan("%2 = stablehlo.remainder %1, %b : tensor<1xf32>", "tensor<1xf32>")), ElementsAre(true));
}

TEST(EvalCornersTest, AQuotientByAnUnboundedValueIsOpen) {
  EXPECT_THAT(Open(OfAnOpenNan("%2 = stablehlo.divide %b, %1 : tensor<1xf32>", "tensor<1xf32>")), ElementsAre(true));
  const Tensor t = OneResult(R"(func.func @main(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xf32> {
    %0 = stablehlo.multiply %a, %b : tensor<1xf32>
    %1 = stablehlo.add %0, %b : tensor<1xf32>
    %2 = stablehlo.divide %b, %1 : tensor<1xf32>
    return %2 : tensor<1xf32>
  })",
                             {F32({1}, {3e38}), F32({1}, {2})}, {.bounds = true});
  EXPECT_THAT(Open(t), ElementsAre(true));
}

// JAX's form of cosh. Its decomposition is as inaccurate as exp(x + log(1/2)), and so may a right device be.
constexpr char kCosh[] = R"(
  func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.composite "chlo.cosh" %a {decomposition = @decomposition} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @decomposition(%a: tensor<2xf32>) -> tensor<2xf32> {
    %half = stablehlo.constant dense<-0.693147182> : tensor<2xf32>
    %0 = stablehlo.add %a, %half : tensor<2xf32>
    %1 = stablehlo.exponential %0 : tensor<2xf32>
    %2 = stablehlo.subtract %half, %a : tensor<2xf32>
    %3 = stablehlo.exponential %2 : tensor<2xf32>
    %4 = stablehlo.add %1, %3 : tensor<2xf32>
    return %4 : tensor<2xf32>
  })";

TEST(EvalCornersTest, AChloCompositeMayBeTheFunctionOrItsDecomposition) {
  const Tensor x = F32({2}, {60.5, 0.5});
  const Tensor composite = OneResult(kCosh, {x}, {.bounds = true});
  EXPECT_THAT(composite.bound()->rule, HasSubstr("or of the decomposition"));
  const double step = 60.5 * 0x1p-24 * std::cosh(60.5);
  EXPECT_GT(composite.bounds()[0], step / 2);
  EXPECT_LT(composite.bounds()[0], 8 * step);
  EXPECT_NEAR(composite.data<double>()[0], std::cosh(60.5), 2e-7 * std::cosh(60.5));
}

TEST(EvalCornersTest, GroupsOfARaggedDotStayInBoundsWhateverTheirSizes) {
  const Tensor got = OneResult(
      "func.func @main(%a: tensor<3x1xf32>, %b: tensor<2x1x1xf32>) -> tensor<3x1xf32> {\n"
      "  %g = stablehlo.constant dense<[-2, 9]> : tensor<2xi32>\n"
      "  %0 = \"chlo.ragged_dot\"(%a, %b, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<"
      "lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], "
      "rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : "
      "(tensor<3x1xf32>, tensor<2x1x1xf32>, tensor<2xi32>) -> tensor<3x1xf32>\n  return %0 : tensor<3x1xf32>\n}\n",
      {F32({3, 1}, {1, 2, 3}), F32({2, 1, 1}, {10, 100})});
  EXPECT_THAT(got.data<double>(), ElementsAre(100, 200, 300));
}

// Groups of rows of two batches, of 1 and 2 rows in the first and of 2 and 0 in the second.
TEST(EvalCornersTest, ARaggedDotOfACompositeHasGroupsOfItsOwnInEachBatch) {
  const Tensor got = OneResult(
      R"(
func.func @main(%a: tensor<2x3x1xf32>, %b: tensor<2x2x1x1xf32>, %g: tensor<2x2xi32>) -> tensor<2x3x1xf32> {
  %0 = stablehlo.composite "chlo.ragged_dot" %a, %b, %g {composite_attributes = {ragged_dot_dimension_numbers = [
    dense<0> : tensor<1xi64>, dense<1> : tensor<1xi64>, dense<2> : tensor<1xi64>, dense<2> : tensor<1xi64>,
    dense<1> : tensor<1xi64>, dense<0> : tensor<1xi64>]}, decomposition = @other}
    : (tensor<2x3x1xf32>, tensor<2x2x1x1xf32>, tensor<2x2xi32>) -> tensor<2x3x1xf32>
  return %0 : tensor<2x3x1xf32>
}
func.func private @other(%a: tensor<2x3x1xf32>, %b: tensor<2x2x1x1xf32>, %g: tensor<2x2xi32>) -> tensor<2x3x1xf32> {
  return %a : tensor<2x3x1xf32>
})",
      {F32({2, 3, 1}, {1, 2, 3, 4, 5, 6}), F32({2, 2, 1, 1}, {10, 100, 1000, 10000}), I32({2, 2}, {1, 2, 2, 0})});
  EXPECT_THAT(got.data<double>(), ElementsAre(10, 2000, 3000, 400, 500, 0));
}

TEST(EvalCornersTest, ARaggedDotOfTermsInGroupsHasAProductForEach) {
  const Tensor got = OneResult(
      "func.func @main(%a: tensor<1x3xf32>, %b: tensor<3x2xf32>, %g: tensor<3xi32>) -> tensor<3x1x2xf32> {\n"
      "  %0 = \"chlo.ragged_dot\"(%a, %b, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<"
      "lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], "
      "rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>} : "
      "(tensor<1x3xf32>, tensor<3x2xf32>, tensor<3xi32>) -> tensor<3x1x2xf32>\n  return %0 : tensor<3x1x2xf32>\n}\n",
      {F32({1, 3}, {1, 10, 100}), F32({3, 2}, {1, 2, 3, 4, 5, 6}), I32({3}, {2, 0, 1})});
  EXPECT_THAT(got.data<double>(), ElementsAre(31, 42, 0, 0, 500, 600));
}

}  // namespace
}  // namespace opbyop::reference
