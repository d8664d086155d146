// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The error that a function may have: textbook formulas that are accurate to few digits are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "reference/eval/evaluate_text.h"

namespace opbyop::reference {
namespace {

Tensor Evaluate(const std::string& op, ElementType type, const std::vector<double>& x) {
  const std::string tensor = "tensor<" + std::to_string(x.size()) + "x" + std::string(NameOf(type)) + ">";
  const std::string signature = op.starts_with("chlo.") ? tensor + " -> " + tensor : tensor;
  const Tensor argument = Tensor::Of<double>(type, {static_cast<int64_t>(x.size())}, x);
  Expected<Values> results = EvaluateText("func.func @main(%a: " + tensor + ") -> " + tensor + " {\n%0 = " + op +
                                              " %a : " + signature + "\nreturn %0 : " + tensor + "\n}",
                                          {argument}, {.bounds = true});
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
  return (*results)[0].tensor();
}

// f32 numbers from -3 to 3, the range of erf's inputs under the policy `domain`.
std::vector<double> Numbers() {
  std::vector<double> x;
  for (int i = -100; i <= 100; ++i) x.push_back(static_cast<float>(0.03 * i + 0.001));
  return x;
}

// Abramowitz and Stegun 7.1.26, with an error of up to 1.5e-7.
double TextbookErf(double x) {
  const double t = 1 / (1 + 0.3275911 * std::fabs(x));
  const double series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return std::copysign(1 - series * std::exp(-x * x), x);
}

int CountOutOfBound(const Tensor& want, const std::vector<double>& got) {
  int beyond = 0;
  for (size_t i = 0; i < got.size(); ++i) beyond += std::fabs(got[i] - want.data<double>()[i]) > want.bounds()[i];
  return beyond;
}

TEST(FunctionBoundTest, TheTextbookFormulaOfErfIsRefused) {
  const std::vector<double> x = Numbers();
  std::vector<double> got;
  for (const double v : x) got.push_back(static_cast<float>(TextbookErf(v)));
  EXPECT_GE(CountOutOfBound(Evaluate("chlo.erf", ElementType::kF32, x), got), 3);
}

TEST(FunctionBoundTest, ErfcIsNotOneMinusErf) {
  const std::vector<double> x = {3.5, 4, 5, 8.7, -1};
  std::vector<double> got;
  for (const double v : x) got.push_back(static_cast<float>(1 - static_cast<float>(std::erf(v))));
  EXPECT_EQ(CountOutOfBound(Evaluate("chlo.erfc", ElementType::kF32, x), got), 4);
}

// The formula of the tail has exp(-x^2) with x^2 rounded to f32.
TEST(FunctionBoundTest, TheTailOfErfcMayHaveTheErrorOfItsExponent) {
  const std::vector<double> x = {8.7335253};
  EXPECT_EQ(CountOutOfBound(Evaluate("chlo.erfc", ElementType::kF32, x), {4.8067706e-35}), 0) << "of a right device";
  EXPECT_EQ(CountOutOfBound(Evaluate("chlo.erfc", ElementType::kF32, x), {4.8068e-35}), 0);
  EXPECT_EQ(CountOutOfBound(Evaluate("chlo.erfc", ElementType::kF32, x), {4.8069e-35}), 1);
}

// acos as pi/2 - asin(x) next to 1, and an argument reduction that keeps only 24 bits of pi.
TEST(FunctionBoundTest, FormulasThatCancelNextToAZeroAreRefused) {
  const double x = static_cast<float>(1 - 0x1p-20);
  const auto f32 = [](double v) { return static_cast<double>(static_cast<float>(v)); };
  const double pi = f32(M_PI);
  EXPECT_EQ(CountOutOfBound(Evaluate("chlo.acos", ElementType::kF32, {x}), {f32(f32(pi / 2) - f32(std::asin(x)))}), 1);
  EXPECT_EQ(CountOutOfBound(Evaluate("stablehlo.sine", ElementType::kF32, {pi}), {0}), 1);
  EXPECT_EQ(CountOutOfBound(Evaluate("stablehlo.cosine", ElementType::kF32, {pi / 2}), {0}), 1);
  EXPECT_EQ(CountOutOfBound(Evaluate("chlo.erf_inv", ElementType::kF32, {1e-8}), {0}), 1);
  EXPECT_EQ(CountOutOfBound(Evaluate("chlo.bessel_i1e", ElementType::kF32, {1e-7}), {0}), 1);
}

// Functions of narrow types are computed in f32: an error by cancellation there is far below their last bit.
TEST(FunctionBoundTest, TheAbsolutePartOfNarrowTypesIsThatOfF32) {
  EXPECT_EQ(CountOutOfBound(Evaluate("stablehlo.logistic", ElementType::kBf16, {-5.5}), {0}), 1);
  EXPECT_EQ(CountOutOfBound(Evaluate("chlo.lgamma", ElementType::kBf16, {2.25}), {0}), 1);
  EXPECT_EQ(CountOutOfBound(Evaluate("chlo.digamma", ElementType::kF16, {1.5}), {0}), 1);
}

// a c - b d and a d + b c are finite, but their products exceed f32.
TEST(FunctionBoundTest, AComplexProductMayOverflowBeforeItsFiniteResult) {
  const auto product = [](Complex a, Complex b) {
    const Expected<Values> results = EvaluateText(
        R"(func.func @main(%a: tensor<1xcomplex<f32>>, %b: tensor<1xcomplex<f32>>) -> tensor<1xcomplex<f32>> {
      %0 = stablehlo.multiply %a, %b : tensor<1xcomplex<f32>>
      return %0 : tensor<1xcomplex<f32>>
    })",
        {Tensor::Splat(ElementType::kC64, {1}, a), Tensor::Splat(ElementType::kC64, {1}, b)}, {.bounds = true});
    return (*results)[0].tensor();
  };
  const double big = 0x1p70;
  EXPECT_EQ(product({big, big}, {big, big}).data<Complex>()[0].real(), 0);
  EXPECT_TRUE(std::isinf(product({big, big}, {big, big}).bounds()[0])) << "a NaN in f32";
  EXPECT_TRUE(std::isfinite(product({big, 1}, {big, 1}).bounds()[0])) << "an infinity by every formula";
  EXPECT_TRUE(std::isfinite(product({big, big}, {1, 1}).bounds()[0]));
}

// (1 + tanh(x/2)) / 2 has the error of two roundings of 1.
TEST(FunctionBoundTest, LogisticByTheHyperbolicTangentIsAccepted) {
  const std::vector<double> x = {-5.5, -10, -30};
  std::vector<double> got;
  for (const double v : x) got.push_back(static_cast<float>(0.5F + 0.5F * std::tanh(static_cast<float>(v) / 2)));
  EXPECT_EQ(CountOutOfBound(Evaluate("stablehlo.logistic", ElementType::kF32, x), got), 0);
}

}  // namespace
}  // namespace opbyop::reference
