// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles and runs programs with floats of at most 8 bits and with quantized elements.
#include <gmock/gmock.h>
#include <llvm/ADT/APFloat.h>

#include <cmath>
#include <numeric>

#include "device/host/run_program.h"

namespace opbyop::host {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

std::string Convert(size_t size, const std::string& from, const std::string& to) {
  const std::string source = fmt::format("tensor<{}x{}>", size, from);
  const std::string target = fmt::format("tensor<{}x{}>", size, to);
  return Main("%a: " + source, target,
              fmt::format("%r = stablehlo.convert %a : ({}) -> {}\nreturn %r : {}", source, target, target));
}

struct Format {
  const char* name;
  const llvm::fltSemantics& semantics;
};

std::vector<Format> Formats() {
  using F = llvm::APFloat;
  return {{"f8E4M3FN", F::Float8E4M3FN()},
          {"f8E5M2", F::Float8E5M2()},
          {"f8E4M3B11FNUZ", F::Float8E4M3B11FNUZ()},
          {"f8E4M3FNUZ", F::Float8E4M3FNUZ()},
          {"f8E5M2FNUZ", F::Float8E5M2FNUZ()},
          {"f8E3M4", F::Float8E3M4()},
          {"f8E4M3", F::Float8E4M3()},
          {"f8E8M0FNU", F::Float8E8M0FNU()},
          {"f6E2M3FN", F::Float6E2M3FN()},
          {"f6E3M2FN", F::Float6E3M2FN()},
          {"f4E2M1FN", F::Float4E2M1FN()}};
}

float Number(const llvm::fltSemantics& semantics, uint64_t code) {
  llvm::APFloat value(semantics, llvm::APInt(llvm::APFloat::semanticsSizeInBits(semantics), code));
  if (value.isNaN()) return std::nanf("");
  bool inexact = false;
  (void)value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &inexact);
  return value.convertToFloat();
}

TEST(HostElementTypes, EveryCodeOfEveryNarrowFloatIsReadExactly) {
  for (const Format& format : Formats()) {
    const size_t count = size_t{1} << llvm::APFloat::semanticsSizeInBits(format.semantics);
    std::vector<uint8_t> codes(count);
    std::iota(codes.begin(), codes.end(), uint8_t{0});
    const auto r = Runner().Run(Convert(count, format.name, "f32"), {BytesOf(codes)});
    ASSERT_TRUE(r.stage.passed()) << format.name << ": " << r.stage.diagnostic;
    const auto values = r.Values<float>();
    for (size_t i = 0; i < count; ++i) {
      const float expected = Number(format.semantics, i);
      EXPECT_TRUE(std::isnan(expected) ? std::isnan(values[i])
                                       : values[i] == expected && std::signbit(values[i]) == std::signbit(expected))
          << format.name << " " << i << ": got " << values[i] << ", expected " << expected;
    }
  }
}

// A number rounds to the nearer of its two neighbours, and in the middle to the even one. Tests all neighbours of all
// formats.
TEST(HostElementTypes, NumbersAreRoundedToTheNearestNarrowFloat) {
  for (const Format& format : Formats()) {
    if (!llvm::APFloat::semanticsHasSignedRepr(format.semantics)) continue;
    const uint64_t greatest = llvm::APFloat::getLargest(format.semantics).bitcastToAPInt().getZExtValue();
    std::vector<double> inputs;
    std::vector<uint8_t> expected;
    for (uint64_t code = 0; code < greatest; ++code) {
      const double low = Number(format.semantics, code);
      const double high = Number(format.semantics, code + 1);
      const auto below = static_cast<uint8_t>(code);
      const auto above = static_cast<uint8_t>(code + 1);
      const double middle = (low + high) / 2;
      for (const auto& [input, result] :
           {std::pair(low, below), std::pair(std::nextafter(middle, low), below),
            std::pair(middle, code % 2 == 0 ? below : above), std::pair(std::nextafter(middle, high), above)}) {
        inputs.push_back(input);
        expected.push_back(result);
      }
    }
    const auto r = Runner().Run(Convert(inputs.size(), "f64", format.name), {BytesOf(inputs)});
    ASSERT_TRUE(r.stage.passed()) << format.name << ": " << r.stage.diagnostic;
    EXPECT_THAT(r.Values<uint8_t>(), ElementsAreArray(expected)) << format.name;
  }
}

TEST(HostElementTypes, TooLargeNumbersBecomeInfinityNanOrTheGreatest) {
  const std::pair<const char*, std::array<uint8_t, 5>> formats[] = {
      // 1e30, -1e30, infinity, NaN, -0
      {"f8E5M2", {0x7c, 0xfc, 0x7c, 0x7e, 0x80}},     {"f8E4M3", {0x78, 0xf8, 0x78, 0x7c, 0x80}},
      {"f8E3M4", {0x70, 0xf0, 0x70, 0x78, 0x80}},     {"f8E4M3FN", {0x7f, 0x7f, 0x7f, 0x7f, 0x80}},
      {"f8E4M3FNUZ", {0x80, 0x80, 0x80, 0x80, 0x00}}, {"f8E5M2FNUZ", {0x80, 0x80, 0x80, 0x80, 0x00}},
      {"f8E8M0FNU", {0xe3, 0xff, 0xff, 0xff, 0x00}},  {"f6E3M2FN", {0x1f, 0x3f, 0x1f, 0x20, 0x20}},
      {"f6E2M3FN", {0x1f, 0x3f, 0x1f, 0x20, 0x20}},   {"f4E2M1FN", {0x07, 0x0f, 0x07, 0x08, 0x08}},
  };
  const float infinity = std::numeric_limits<float>::infinity();
  for (const auto& [name, codes] : formats) {
    const auto r = Runner().Run(Convert(5, "f32", name), {Bytes({1e30f, -1e30f, infinity, std::nanf(""), -0.f})});
    ASSERT_TRUE(r.stage.passed()) << name << ": " << r.stage.diagnostic;
    EXPECT_THAT(r.Values<uint8_t>(), ElementsAreArray(codes)) << name;
  }
}

TEST(HostElementTypes, TiesBetweenPowersOfTwoRoundToTheLarger) {
  const auto r = Runner().Run(Convert(5, "f32", "f8E8M0FNU"), {Bytes({1.f, 1.5f, 3.f, 1.25f, 0.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<uint8_t>(), ElementsAre(127, 128, 129, 127, 0));
}

TEST(HostElementTypes, ReducesAndSortsNarrowFloats) {
  const auto sum = Runner().Run(
      "func.func @main(%a: tensor<2x2xf8E4M3FN>, %z: tensor<f8E4M3FN>) -> tensor<2xf8E4M3FN> {\n"
      "  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1]"
      " : (tensor<2x2xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<2xf8E4M3FN>\n  return %0 : tensor<2xf8E4M3FN>\n}\n",
      {Bytes<uint8_t>({0x38, 0x40, 0x38, 0x38}), Bytes<uint8_t>({0})});
  ASSERT_TRUE(sum.stage.passed()) << sum.stage.diagnostic;
  EXPECT_THAT(sum.Values<uint8_t>(), ElementsAre(0x44, 0x40));  // 1 + 2, 1 + 1
  const auto sorted = Runner().Run(
      "func.func @main(%a: tensor<3xf4E2M1FN>) -> tensor<3xf4E2M1FN> {\n"
      "  %0 = \"stablehlo.sort\"(%a) <{dimension = 0 : i64}> ({\n"
      "  ^bb0(%x: tensor<f4E2M1FN>, %y: tensor<f4E2M1FN>):\n"
      "    %c = stablehlo.compare LT, %x, %y : (tensor<f4E2M1FN>, tensor<f4E2M1FN>) -> tensor<i1>\n"
      "    stablehlo.return %c : tensor<i1>\n  }) : (tensor<3xf4E2M1FN>) -> tensor<3xf4E2M1FN>\n"
      "  return %0 : tensor<3xf4E2M1FN>\n}\n",
      {Bytes<uint8_t>({0x1, 0x9, 0x2})});
  ASSERT_TRUE(sorted.stage.passed()) << sorted.stage.diagnostic;
  EXPECT_THAT(sorted.Values<uint8_t>(), ElementsAre(0x9, 0x1, 0x2));
}

TEST(HostElementTypes, QuantizesWithSaturationAndTiesToEven) {
  const auto r = Runner().Run(
      Main("%a: tensor<6xf32>", "tensor<6x!quant.uniform<i8:f32, 0.5:3>>",
           "%r = stablehlo.uniform_quantize %a : (tensor<6xf32>) -> tensor<6x!quant.uniform<i8:f32, 0.5:3>>\n"
           "return %r : tensor<6x!quant.uniform<i8:f32, 0.5:3>>"),
      {Bytes({1.f, 0.75f, 1.25f, 1000.f, -1000.f, std::nanf("")})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int8_t>(), ElementsAre(5, 4, 6, 127, -128, 0));  // 4.5 and 5.5 go to even
}

TEST(HostElementTypes, DequantizesPerAxis) {
  const auto r = Runner().Run(
      Main("%a: tensor<2x2x!quant.uniform<u8:f32:0, {0.5:128, 2.0}>>", "tensor<2x2xf32>",
           "%r = stablehlo.uniform_dequantize %a : (tensor<2x2x!quant.uniform<u8:f32:0, {0.5:128, 2.0}>>) -> "
           "tensor<2x2xf32>\nreturn %r : tensor<2x2xf32>"),
      {Bytes<uint8_t>({128, 130, 0, 255})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ElementsAre(0, 1, 0, 510));
}

TEST(HostElementTypes, ComputesOnWhatQuantizedOperandsExpress) {
  const std::string in = "tensor<1x2x!quant.uniform<i8:f32, 0.5>>";
  const std::string weights = "tensor<2x1x!quant.uniform<i8:f32, 0.25>>";
  const std::string out = "tensor<1x1x!quant.uniform<i32:f32, 0.125>>";
  const auto r = Runner().Run(Main("%a: " + in + ", %b: " + weights, out,
                                   "%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (" + in + ", " +
                                       weights + ") -> " + out + "\nreturn %r : " + out),
                              {Bytes<int8_t>({2, -4}), Bytes<int8_t>({6, 2})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int32_t>(), ElementsAre(4));  // 1 * 1.5 + -2 * 0.5, in steps of 1/8
}

TEST(HostElementTypes, ReducesQuantizedElementsStepByStep) {
  const std::string e = "!quant.uniform<i8:f32, 0.5:1>";
  const auto r =
      Runner().Run("func.func @main(%a: tensor<3x" + e + ">, %z: tensor<" + e + ">) -> tensor<" + e + "> {\n" +
                       "  %0 = \"stablehlo.reduce\"(%a, %z) <{dimensions = array<i64: 0>}> ({\n  ^bb0(%x: tensor<" + e +
                       ">, %y: tensor<" + e + ">):\n    %s = stablehlo.add %x, %y : tensor<" + e +
                       ">\n    stablehlo.return %s : tensor<" + e + ">\n  }) : (tensor<3x" + e + ">, tensor<" + e +
                       ">) -> tensor<" + e + ">\n  return %0 : tensor<" + e + ">\n}\n",
                   {Bytes<int8_t>({3, 5, 2}), Bytes<int8_t>({1})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int8_t>(), ElementsAre(8));  // 2 + 4 + 1 steps above zero point 1
}

TEST(HostElementTypes, DecomposesQuantizedMatrices) {
  const auto r =
      Runner().Run(Main("%a: tensor<1x1x!quant.uniform<i8:f32, 0.5>>", "tensor<1x1x!quant.uniform<i8:f32, 0.5>>",
                        "%r = stablehlo.cholesky %a, lower = true : tensor<1x1x!quant.uniform<i8:f32, 0.5>>\n"
                        "return %r : tensor<1x1x!quant.uniform<i8:f32, 0.5>>"),
                   {Bytes<int8_t>({32})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int8_t>(), ElementsAre(8)) << "the root of 16";
}

TEST(HostElementTypes, ValuesThatNoProcessSendsAreZero) {
  const auto r =
      Runner().Run(Main("%a: tensor<2x!quant.uniform<i8:f32, 0.5:3>>", "tensor<2x!quant.uniform<i8:f32, 0.5:3>>",
                        "%r = \"stablehlo.collective_permute\"(%a) {source_target_pairs = dense<> : tensor<0x2xi64>} : "
                        "(tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>\n"
                        "return %r : tensor<2x!quant.uniform<i8:f32, 0.5:3>>"),
                   {Bytes<int8_t>({32, 7})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int8_t>(), ElementsAre(3, 3));
}

}  // namespace
}  // namespace opbyop::host
