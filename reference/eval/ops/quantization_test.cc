// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "reference/bounds/compare.h"
#include "reference/eval/evaluate_text.h"
#include "reference/eval/test/one_result.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

using testing::ElementsAre;

std::string Main(const std::string& arguments, const std::string& result, const std::string& body) {
  return "func.func @main(" + arguments + ") -> " + result + " {\n" + body + "\n  return %r : " + result + "\n}\n";
}

Tensor Stored(ElementType type, std::vector<int64_t> values) {
  return Tensor::Of<int64_t>(type, {static_cast<int64_t>(values.size())}, values);
}

Tensor QuantizeTo(const std::string& q, const std::vector<double>& values) {
  const std::string n = std::to_string(values.size());
  return OneResult(
      Main("%a: tensor<" + n + "xf32>", "tensor<" + n + "x" + q + ">",
           "  %r = stablehlo.uniform_quantize %a : (tensor<" + n + "xf32>) -> tensor<" + n + "x" + q + ">"),
      {F32({static_cast<int64_t>(values.size())}, values)});
}

TEST(EvalQuantizationTest, QuantizeRoundsTiesToEvenAndClamps) {
  EXPECT_THAT(Elements<int64_t>(QuantizeTo("!quant.uniform<i8:f32, 2.0:10>", {1, 3, 5, 1e9, -1e9, kInf, -kInf})),
              ElementsAre(10, 12, 12, 127, -128, 127, -128));
}

TEST(EvalQuantizationTest, QuantizeHonoursTheStorageRange) {
  EXPECT_THAT(Elements<int64_t>(QuantizeTo("!quant.uniform<i8<-127:100>:f32, 1.0>", {-1000, 1000})),
              ElementsAre(-127, 100));
}

TEST(EvalQuantizationTest, NarrowAndUnsignedStorage) {
  EXPECT_THAT(Elements<int64_t>(QuantizeTo("!quant.uniform<i4:f32, 1.0>", {-9, 3, 9})), ElementsAre(-8, 3, 7));
  EXPECT_THAT(Elements<int64_t>(QuantizeTo("!quant.uniform<u8:f32, 1.0:128>", {-200, 0, 127})),
              ElementsAre(0, 128, 255));
  EXPECT_THAT(Elements<int64_t>(QuantizeTo("!quant.uniform<i32:f32, 1.0>", {1e12, -1e12, 7})),
              ElementsAre(2147483647, -2147483648LL, 7));
}

TEST(EvalQuantizationTest, NanIsStoredAsZero) {
  EXPECT_THAT(
      Elements<int64_t>(QuantizeTo("!quant.uniform<i8:f32, 1.0:5>", {std::numeric_limits<double>::quiet_NaN()})),
      ElementsAre(0));
}

TEST(EvalQuantizationTest, DequantizeDoesNotWrapAround) {
  const Tensor t =
      OneResult(Main("%a: tensor<2x!quant.uniform<i8:f32, 0.5:-128>>", "tensor<2xf32>",
                     "  %r = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32, 0.5:-128>>) -> "
                     "tensor<2xf32>"),
                {Stored(ElementType::kI8, {127, -128})});
  EXPECT_THAT(Elements<double>(t), ElementsAre(127.5, 0));
}

TEST(EvalQuantizationTest, PerAxisParametersFollowTheirDimension) {
  const std::string q = "!quant.uniform<i8:f32:1, {1.0:0, 2.0:10}>";
  const Tensor t =
      OneResult(Main("%a: tensor<2x2x" + q + ">", "tensor<2x2xf32>",
                     "  %r = stablehlo.uniform_dequantize %a : (tensor<2x2x" + q + ">) -> tensor<2x2xf32>"),
                {Tensor::Of<int64_t>(ElementType::kI8, {2, 2}, {1, 11, 2, 12})});
  EXPECT_THAT(Elements<double>(t), ElementsAre(1, 2, 2, 4));
}

TEST(EvalQuantizationTest, RequantizationGoesThroughTheExpressedValue) {
  const Tensor t =
      OneResult(Main("%a: tensor<2x!quant.uniform<i8:f32, 0.5:0>>", "tensor<2x!quant.uniform<i8:f32, 2.0:1>>",
                     "  %r = stablehlo.uniform_quantize %a : (tensor<2x!quant.uniform<i8:f32, 0.5:0>>) -> "
                     "tensor<2x!quant.uniform<i8:f32, 2.0:1>>"),
                {Stored(ElementType::kI8, {8, -8})});
  EXPECT_THAT(Elements<int64_t>(t), ElementsAre(3, -1));
}

TEST(EvalQuantizationTest, ArithmeticIsOnExpressedValues) {
  const std::string a = "tensor<2x!quant.uniform<i8:f32, 1.0:10>>";
  const std::string b = "tensor<2x!quant.uniform<i8:f32, 0.5:0>>";
  const Tensor t = OneResult(
      Main("%a: " + a + ", %b: " + b, a, "  %r = \"stablehlo.multiply\"(%a, %b) : (" + a + ", " + b + ") -> " + a),
      {Stored(ElementType::kI8, {12, 13}), Stored(ElementType::kI8, {6, -8})});
  EXPECT_THAT(Elements<int64_t>(t), ElementsAre(16, -2));
}

TEST(EvalQuantizationTest, ComparisonIsOnExpressedValues) {
  const std::string a = "tensor<2x!quant.uniform<i8:f32, 1.0:10>>";
  const std::string b = "tensor<2x!quant.uniform<i8:f32, 0.5:0>>";
  EXPECT_THAT(Elements<uint8_t>(OneResult(Main("%a: " + a + ", %b: " + b, "tensor<2xi1>",
                                               "  %r = stablehlo.compare LT, %a, %b, FLOAT : (" + a + ", " + b +
                                                   ") -> "
                                                   "tensor<2xi1>"),
                                          {Stored(ElementType::kI8, {12, 13}), Stored(ElementType::kI8, {6, 6})})),
              ElementsAre(1, 0));
}

TEST(EvalQuantizationTest, HybridContractionTakesFloatsAndPerAxisWeights) {
  const std::string w = "tensor<2x2x!quant.uniform<i8:f32:1, {1.0:0, 0.5:0}>>";
  const Tensor t =
      OneResult(Main("%a: tensor<1x2xf32>, %w: " + w, "tensor<1x2xf32>",
                     "  %r = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<1x2xf32>, " + w +
                         ") -> tensor<1x2xf32>"),
                {F32({1, 2}, {1, 2}), Tensor::Of<int64_t>(ElementType::kI8, {2, 2}, {3, 4, 5, 6})});
  EXPECT_THAT(Elements<double>(t), ElementsAre(13, 8));
}

TEST(EvalQuantizationTest, MovedElementsKeepTheirStoredValues) {
  const std::string q = "!quant.uniform<i8:f32, 0.3:7>";
  const Tensor t =
      OneResult(Main("%a: tensor<2x3x" + q + ">", "tensor<3x2x" + q + ">",
                     "  %r = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3x" + q + ">) -> tensor<3x2x" + q + ">"),
                {Tensor::Of<int64_t>(ElementType::kI8, {2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_THAT(Elements<int64_t>(t), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_EQ(t.bound(), nullptr);
}

TEST(EvalQuantizationTest, AReductionComputesInItsRegionsType) {
  const std::string q = "!quant.uniform<i8:f32, 1.0:100>";
  const Tensor t =
      OneResult(Main("%a: tensor<3x" + q + ">, %i: tensor<" + q + ">", "tensor<" + q + ">",
                     "  %r = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0] : "
                     "(tensor<3x" +
                         q + ">, tensor<" + q + ">) -> tensor<" + q + ">"),
                {Stored(ElementType::kI8, {101, 102, 103}), Tensor::Splat<int64_t>(ElementType::kI8, {}, 100)});
  EXPECT_THAT(Elements<int64_t>(t), ElementsAre(106));
}

TEST(EvalQuantizationTest, OpsWithoutOperandsQuantizeTheirResults) {
  const Tensor t = OneResult(Main("", "tensor<3x!quant.uniform<i8:f32, 0.5:1>>",
                                  "  %r = stablehlo.iota dim = 0 : tensor<3x!quant.uniform<i8:f32, 0.5:1>>"),
                             {});
  EXPECT_THAT(Elements<int64_t>(t), ElementsAre(1, 3, 5));
}

TEST(EvalQuantizationTest, FixedPointArithmeticMayBeAStepAway) {
  const std::string a = "tensor<1x!quant.uniform<i8:f32, 1.0:0>>";
  const Tensor expected = OneResult(Main("%a: " + a, a, "  %r = \"stablehlo.sine\"(%a) : (" + a + ") -> " + a),
                                    {Stored(ElementType::kI8, {2})}, {.bounds = true});
  const auto accepted = [&](int64_t stored) {
    return CompareOutput(0, expected, TensorToBytes(Stored(ElementType::kI8, {stored})))->accepted;
  };
  EXPECT_EQ(expected.IntegerAt(0), 1);
  EXPECT_TRUE(accepted(0));
  EXPECT_FALSE(accepted(3));
}

}  // namespace
}  // namespace opbyop::reference
