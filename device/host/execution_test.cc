// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles and runs programs and compares with values that were computed by hand.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "device/host/run_program.h"

namespace opbyop::host {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;

std::string Unary(const std::string& op, const std::string& type) {
  return Main("%a: " + type, type, "%0 = stablehlo." + op + " %a : " + type + "\nreturn %0 : " + type);
}

std::string Binary(const std::string& op, const std::string& type) {
  return Main("%a: " + type + ", %b: " + type, type,
              "%0 = stablehlo." + op + " %a, %b : " + type + "\nreturn %0 : " + type);
}

TEST(HostExecution, AddsFloats) {
  const auto r = Runner().Run(Binary("add", "tensor<3xf32>"), {Bytes({1.f, 2.f, 3.f}), Bytes({10.f, 20.f, 30.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ElementsAre(11, 22, 33));
}

TEST(HostExecution, BooleanAdditionIsOr) {
  const auto r =
      Runner().Run(Binary("add", "tensor<4xi1>"), {Bytes<uint8_t>({0, 0, 1, 1}), Bytes<uint8_t>({0, 1, 0, 1})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<uint8_t>(), ElementsAre(0, 1, 1, 1));
}

TEST(HostExecution, DividesUnsignedAndSignedByTheirOwnRules) {
  const auto u = Runner().Run(Binary("divide", "tensor<2xui8>"), {Bytes<uint8_t>({200, 7}), Bytes<uint8_t>({3, 2})});
  ASSERT_TRUE(u.stage.passed()) << u.stage.diagnostic;
  EXPECT_THAT(u.Values<uint8_t>(), ElementsAre(66, 3));
  const auto s = Runner().Run(Binary("divide", "tensor<2xi8>"), {Bytes<int8_t>({-56, 7}), Bytes<int8_t>({3, -2})});
  ASSERT_TRUE(s.stage.passed()) << s.stage.diagnostic;
  EXPECT_THAT(s.Values<int8_t>(), ElementsAre(-18, -3));
}

TEST(HostExecution, IntegerDivisionNeverTraps) {
  const int32_t least = std::numeric_limits<int32_t>::min();
  const auto r = Runner().Run(Binary("divide", "tensor<2xi32>"), {Bytes({5, least}), Bytes({0, -1})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int32_t>(), ElementsAre(-1, least));
}

TEST(HostExecution, ShiftsByTheWidthOrMoreLeaveNoBits) {
  const auto r = Runner().Run(Binary("shift_left", "tensor<3xi32>"), {Bytes({1, 1, 1}), Bytes({3, 32, -1})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int32_t>(), ElementsAre(8, 0, 0));
}

TEST(HostExecution, RaisesIntegersToPowers) {
  const auto r = Runner().Run(Binary("power", "tensor<5xi64>"),
                              {Bytes<int64_t>({2, -3, 2, -1, 0}), Bytes<int64_t>({10, 3, -1, -3, 0})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int64_t>(), ElementsAre(1024, -27, 0, -1, 1));
}

TEST(HostExecution, ComputesTranscendentalsWithinTwoUlp) {
  const auto close = [](float value) { return ::testing::Matcher<float>(FloatEq(value)); };
  const std::pair<const char*, double (*)(double)> functions[] = {
      {"exponential", [](double x) { return std::exp(x); }},
      {"exponential_minus_one", [](double x) { return std::expm1(x); }},
      {"log", [](double x) { return std::log(x); }},
      {"log_plus_one", [](double x) { return std::log1p(x); }},
      {"tanh", [](double x) { return std::tanh(x); }},
      {"logistic", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"sqrt", [](double x) { return std::sqrt(x); }},
      {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"cbrt", [](double x) { return std::cbrt(x); }},
      {"sine", [](double x) { return std::sin(x); }},
      {"cosine", [](double x) { return std::cos(x); }},
      {"tan", [](double x) { return std::tan(x); }},
  };
  for (const auto& [op, exact] : functions) {
    const auto r = Runner().Run(Unary(op, "tensor<3xf32>"), {Bytes({0.001f, 0.75f, 1.5f})});
    ASSERT_TRUE(r.stage.passed()) << op << ": " << r.stage.diagnostic;
    EXPECT_THAT(r.Values<float>(), ElementsAre(close(exact(0.001f)), close(exact(0.75f)), close(exact(1.5f)))) << op;
  }
}

TEST(HostExecution, RoundsToNearestBothWays) {
  const auto even = Runner().Run(Unary("round_nearest_even", "tensor<3xf32>"), {Bytes({0.5f, 1.5f, -2.5f})});
  ASSERT_TRUE(even.stage.passed()) << even.stage.diagnostic;
  EXPECT_THAT(even.Values<float>(), ElementsAre(0, 2, -2));
  const auto away = Runner().Run(Unary("round_nearest_afz", "tensor<3xf32>"), {Bytes({0.5f, 1.5f, -2.5f})});
  ASSERT_TRUE(away.stage.passed()) << away.stage.diagnostic;
  EXPECT_THAT(away.Values<float>(), ElementsAre(1, 2, -3));
}

TEST(HostExecution, RoundsBfloat16OncePerOp) {
  // 1 + 2^-7 (0x3f81) squared is 1 + 2^-6 + 2^-14, which rounds to 1 + 2^-6 (0x3f82).
  const auto r =
      Runner().Run(Binary("multiply", "tensor<1xbf16>"), {Bytes<uint16_t>({0x3f81}), Bytes<uint16_t>({0x3f81})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<uint16_t>(), ElementsAre(0x3f82));
}

TEST(HostExecution, KeepsSubnormalBfloat16) {
  const auto r = Runner().Run(Main("%a: tensor<4xbf16>, %b: tensor<2xbf16>, %c: tensor<bf16>", "tensor<4xbf16>", R"(
    %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
      %1 = stablehlo.compare GE, %x, %y : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }, {
    ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
      %1 = stablehlo.maximum %x, %y : tensor<bf16>
      stablehlo.return %1 : tensor<bf16>
    }) : (tensor<4xbf16>, tensor<2xbf16>, tensor<bf16>) -> tensor<4xbf16>
    return %0 : tensor<4xbf16>)"),
                              {Bytes<uint16_t>({0x4000, 0x3f80, 0x3f80, 0x4000}), Bytes<uint16_t>({0xbf80, 0x3f80}),
                               Bytes<uint16_t>({0x0001})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<uint16_t>(), ElementsAre(0x0001, 0x0001, 0x0001, 0x3f80));
}

TEST(HostExecution, ConvertsFloatsToIntegersTowardsZeroAndSaturates) {
  const auto r =
      Runner().Run(Main("%a: tensor<5xf32>", "tensor<5xi8>",
                        "%0 = stablehlo.convert %a : (tensor<5xf32>) -> tensor<5xi8>\nreturn %0 : tensor<5xi8>"),
                   {Bytes({-1.9f, 1.9f, 300.f, -300.f, std::nanf("")})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int8_t>(), ElementsAre(-1, 1, 127, -128, 0));
}

TEST(HostExecution, ComparesInTotalOrder) {
  const float nan = std::nanf("");
  const auto r = Runner().Run(
      Main("%a: tensor<3xf32>, %b: tensor<3xf32>", "tensor<3xi1>",
           "%0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>\n"
           "return %0 : tensor<3xi1>"),
      {Bytes({-0.f, 1.f, -nan}), Bytes({0.f, nan, -1.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<uint8_t>(), ElementsAre(1, 1, 1));
}

TEST(HostExecution, MultipliesComplexNumbers) {
  const auto r = Runner().Run(Binary("multiply", "tensor<1xcomplex<f32>>"), {Bytes({1.f, 2.f}), Bytes({3.f, 4.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ElementsAre(-5, 10));
}

TEST(HostExecution, MovesElements) {
  const auto transposed = Runner().Run(Main("%a: tensor<2x3xi32>", "tensor<3x2xi32>",
                                            "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xi32>) -> "
                                            "tensor<3x2xi32>\nreturn %0 : tensor<3x2xi32>"),
                                       {Bytes({1, 2, 3, 4, 5, 6})});
  ASSERT_TRUE(transposed.stage.passed()) << transposed.stage.diagnostic;
  EXPECT_THAT(transposed.Values<int32_t>(), ElementsAre(1, 4, 2, 5, 3, 6));

  const auto sliced = Runner().Run(Main("%a: tensor<7xi32>", "tensor<3xi32>",
                                        "%0 = stablehlo.slice %a [1:7:2] : (tensor<7xi32>) -> tensor<3xi32>\n"
                                        "return %0 : tensor<3xi32>"),
                                   {Bytes({0, 1, 2, 3, 4, 5, 6})});
  ASSERT_TRUE(sliced.stage.passed()) << sliced.stage.diagnostic;
  EXPECT_THAT(sliced.Values<int32_t>(), ElementsAre(1, 3, 5));

  const auto padded =
      Runner().Run(Main("%a: tensor<3xi32>, %p: tensor<i32>", "tensor<5xi32>",
                        "%0 = stablehlo.pad %a, %p, low = [-1], high = [2], interior = [1] : (tensor<3xi32>, "
                        "tensor<i32>) -> tensor<6xi32>\n"
                        "%1 = stablehlo.slice %0 [0:5] : (tensor<6xi32>) -> tensor<5xi32>\nreturn %1 : tensor<5xi32>"),
                   {Bytes({1, 2, 3}), Bytes({9})});
  ASSERT_TRUE(padded.stage.passed()) << padded.stage.diagnostic;
  EXPECT_THAT(padded.Values<int32_t>(), ElementsAre(9, 2, 9, 3, 9));

  const auto joined = Runner().Run(
      Main("%a: tensor<2x1xi32>, %b: tensor<2x2xi32>", "tensor<2x3xi32>",
           "%0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<2x3xi32>\n"
           "return %0 : tensor<2x3xi32>"),
      {Bytes({1, 2}), Bytes({3, 4, 5, 6})});
  ASSERT_TRUE(joined.stage.passed()) << joined.stage.diagnostic;
  EXPECT_THAT(joined.Values<int32_t>(), ElementsAre(1, 3, 4, 2, 5, 6));
}

TEST(HostExecution, ReturnsAnArgumentAndARepeatedResult) {
  const auto r = Runner().Run(
      "func.func @main(%a: tensor<2xi32>) -> (tensor<2xi32>, tensor<2x1xi32>, tensor<2x1xi32>) {\n"
      "  %0 = stablehlo.reshape %a : (tensor<2xi32>) -> tensor<2x1xi32>\n"
      "  return %a, %0, %0 : tensor<2xi32>, tensor<2x1xi32>, tensor<2x1xi32>\n}\n",
      {Bytes({3, 4})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  for (size_t i = 0; i < 3; ++i) EXPECT_THAT(r.Values<int32_t>(i), ElementsAre(3, 4));
}

TEST(HostExecution, ContractsMatrices) {
  const auto r = Runner().Run(Main("%a: tensor<2x3xf32>, %b: tensor<2x3xf32>", "tensor<2x2xf32>",
                                   "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : "
                                   "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>\n"
                                   "return %0 : tensor<2x2xf32>"),
                              {Bytes({1.f, 2.f, 3.f, 4.f, 5.f, 6.f}), Bytes({1.f, 0.f, 1.f, 0.f, 1.f, 0.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ElementsAre(4, 2, 10, 5));
}

TEST(HostExecution, ContractsLargeMatricesInBlocks) {
  // All elements are one, so every element of the result is the size of the contracted dimension.
  const std::string program =
      Main("%a: tensor<f32>", "tensor<8x1100xf32>",
           "%l = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<8x150xf32>\n"
           "%r = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<150x1100xf32>\n"
           "%0 = stablehlo.dot_general %l, %r, contracting_dims = [1] x [0] : (tensor<8x150xf32>, "
           "tensor<150x1100xf32>) -> tensor<8x1100xf32>\n"
           "return %0 : tensor<8x1100xf32>");
  const auto r = Runner().Run(program, {Bytes({1.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ::testing::Each(150.f));
}

TEST(HostExecution, ConvolvesDepthwiseWithPaddingAndStride) {
  // Two channels, each with its own kernel: sums of neighbours, and copies of the centre.
  const auto r = Runner().Run(
      Main("%a: tensor<1x4x2xf32>, %k: tensor<3x1x2xf32>", "tensor<1x2x2xf32>",
           "%0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],\n"
           "  window = {stride = [2], pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64}\n"
           "  : (tensor<1x4x2xf32>, tensor<3x1x2xf32>) -> tensor<1x2x2xf32>\nreturn %0 : tensor<1x2x2xf32>"),
      {Bytes({1.f, 10.f, 2.f, 20.f, 3.f, 30.f, 4.f, 40.f}), Bytes({1.f, 0.f, 1.f, 1.f, 1.f, 0.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ElementsAre(3, 10, 9, 30));
}

TEST(HostExecution, ConvolvesChannelsFirst) {
  const auto r = Runner().Run(
      Main("%a: tensor<1x2x3xf32>, %k: tensor<1x2x2xf32>", "tensor<1x1x2xf32>",
           "%0 = stablehlo.convolution(%a, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {}\n"
           "  {batch_group_count = 1 : i64, feature_group_count = 1 : i64}\n"
           "  : (tensor<1x2x3xf32>, tensor<1x2x2xf32>) -> tensor<1x1x2xf32>\nreturn %0 : tensor<1x1x2xf32>"),
      {Bytes({1.f, 2.f, 3.f, 4.f, 5.f, 6.f}), Bytes({1.f, 1.f, 10.f, 0.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ElementsAre(43, 55));
}

TEST(HostExecution, ReducesTwoValuesAtOnce) {
  // An argmax: the larger value with its index.
  const auto r = Runner().Run(
      "func.func @main(%a: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi32>) {\n"
      "  %i = stablehlo.iota dim = 1 : tensor<2x3xi32>\n"
      "  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
      "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %0:2 = stablehlo.reduce(%a init: %low), (%i init: %zero) across dimensions = [1]"
      " : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)\n"
      "   reducer(%x: tensor<f32>, %y: tensor<f32>) (%xi: tensor<i32>, %yi: tensor<i32>) {\n"
      "    %c = stablehlo.compare GE, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "    %v = stablehlo.select %c, %x, %y : tensor<i1>, tensor<f32>\n"
      "    %w = stablehlo.select %c, %xi, %yi : tensor<i1>, tensor<i32>\n"
      "    stablehlo.return %v, %w : tensor<f32>, tensor<i32>\n  }\n"
      "  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>\n}\n",
      {Bytes({1.f, 5.f, 2.f, 7.f, 3.f, 9.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(0), ElementsAre(5, 9));
  EXPECT_THAT(r.Values<int32_t>(1), ElementsAre(1, 2));
}

TEST(HostExecution, ReducesWindowsThatOverlapThePadding) {
  const auto r = Runner().Run(
      "func.func @main(%a: tensor<4xi32>, %z: tensor<i32>) -> tensor<4xi32> {\n"
      "  %0 = \"stablehlo.reduce_window\"(%a, %z) <{window_dimensions = array<i64: 3>, padding = dense<[[2, 0]]> : "
      "tensor<1x2xi64>}> ({\n"
      "  ^bb0(%x: tensor<i32>, %y: tensor<i32>):\n    %s = stablehlo.add %x, %y : tensor<i32>\n"
      "    stablehlo.return %s : tensor<i32>\n  }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>\n"
      "  return %0 : tensor<4xi32>\n}\n",
      {Bytes({1, 2, 3, 4}), Bytes({0})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int32_t>(), ElementsAre(1, 3, 6, 9));
}

TEST(HostExecution, GathersRowsWithClampedIndices) {
  const auto r = Runner().Run(
      "func.func @main(%a: tensor<3x2xf32>, %i: tensor<2xi32>) -> tensor<2x2xf32> {\n"
      "  %0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
      "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}>\n"
      "  : (tensor<3x2xf32>, tensor<2xi32>) -> tensor<2x2xf32>\n  return %0 : tensor<2x2xf32>\n}\n",
      {Bytes({1.f, 2.f, 3.f, 4.f, 5.f, 6.f}), Bytes({9, 1})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ElementsAre(5, 6, 3, 4));
}

TEST(HostExecution, ScattersWithAdditionAndSkipsUpdatesOutside) {
  const auto r = Runner().Run(
      "func.func @main(%a: tensor<3xi32>, %i: tensor<4x1xi32>, %u: tensor<4xi32>) -> tensor<3xi32> {\n"
      "  %0 = \"stablehlo.scatter\"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims "
      "= [0], "
      "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
      "  ^bb0(%x: tensor<i32>, %y: tensor<i32>):\n    %s = stablehlo.add %x, %y : tensor<i32>\n"
      "    stablehlo.return %s : tensor<i32>\n  }) : (tensor<3xi32>, tensor<4x1xi32>, tensor<4xi32>) -> tensor<3xi32>\n"
      "  return %0 : tensor<3xi32>\n}\n",
      {Bytes({1, 2, 3}), Bytes({0, 2, 0, 7}), Bytes({10, 20, 30, 40})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int32_t>(), ElementsAre(41, 2, 23));
}

TEST(HostExecution, SlicesAtRunTime) {
  const auto r = Runner().Run(
      "func.func @main(%a: tensor<5xi32>, %i: tensor<i32>, %u: tensor<2xi32>) -> (tensor<2xi32>, tensor<5xi32>) {\n"
      "  %0 = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>\n"
      "  %1 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> "
      "tensor<5xi32>\n"
      "  return %0, %1 : tensor<2xi32>, tensor<5xi32>\n}\n",
      {Bytes({1, 2, 3, 4, 5}), Bytes({9}), Bytes({70, 80})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int32_t>(0), ElementsAre(4, 5));
  EXPECT_THAT(r.Values<int32_t>(1), ElementsAre(1, 2, 3, 70, 80));
}

TEST(HostExecution, SortsStablyByKey) {
  const auto r = Runner().Run(
      "func.func @main(%k: tensor<2x5xi32>, %v: tensor<2x5xi32>) -> (tensor<2x5xi32>, tensor<2x5xi32>) {\n"
      "  %0:2 = \"stablehlo.sort\"(%k, %v) <{dimension = 1 : i64, is_stable = true}> ({\n"
      "  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):\n"
      "    %p = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    stablehlo.return %p : tensor<i1>\n"
      "  }) : (tensor<2x5xi32>, tensor<2x5xi32>) -> (tensor<2x5xi32>, tensor<2x5xi32>)\n"
      "  return %0#0, %0#1 : tensor<2x5xi32>, tensor<2x5xi32>\n}\n",
      {Bytes({3, 1, 2, 1, 3, 5, 4, 3, 2, 1}), Bytes({0, 1, 2, 3, 4, 0, 1, 2, 3, 4})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int32_t>(0), ElementsAre(1, 1, 2, 3, 3, 1, 2, 3, 4, 5));
  EXPECT_THAT(r.Values<int32_t>(1), ElementsAre(1, 3, 2, 0, 4, 4, 3, 2, 1, 0));
}

TEST(HostExecution, RunsLoopsAndBranches) {
  const auto r = Runner().Run(
      "func.func @main(%n: tensor<i32>, %x: tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>) {\n"
      "  %z = stablehlo.constant dense<0> : tensor<i32>\n  %one = stablehlo.constant dense<1> : tensor<i32>\n"
      "  %0:2 = stablehlo.while(%i = %z, %v = %x) : tensor<i32>, tensor<2xf32>\n"
      "  cond {\n    %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    stablehlo.return %c : tensor<i1>\n  } do {\n"
      "    %j = stablehlo.add %i, %one : tensor<i32>\n    %w = stablehlo.add %v, %v : tensor<2xf32>\n"
      "    stablehlo.return %j, %w : tensor<i32>, tensor<2xf32>\n  }\n"
      "  %c = \"stablehlo.case\"(%n) ({\n    stablehlo.return %x : tensor<2xf32>\n  }, {\n"
      "    stablehlo.return %0#1 : tensor<2xf32>\n  }) : (tensor<i32>) -> tensor<2xf32>\n"
      "  return %0#0, %c : tensor<i32>, tensor<2xf32>\n}\n",
      {Bytes({5}), Bytes({1.f, 2.f})}, /*runs=*/3);
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int32_t>(0), ElementsAre(5));
  EXPECT_THAT(r.Values<float>(1), ElementsAre(32, 64));
  EXPECT_EQ(r.timing.n, 3);
}

TEST(HostExecution, FollowsCallsAndComposites) {
  const auto r = Runner().Run(
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.composite \"my.square\" %x {decomposition = @square} : (tensor<2xf32>) -> tensor<2xf32>\n"
      "  %1 = call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32>\n  return %1 : tensor<2xf32>\n}\n"
      "func.func private @square(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.multiply %x, %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"
      "func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.add %x, %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n",
      {Bytes({3.f, 4.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ElementsAre(18, 32));
}

TEST(HostExecution, ComputesErfFromItsCustomCall) {
  const auto r =
      Runner().Run(Main("%a: tensor<1xf32>", "tensor<1xf32>",
                        "%0 = stablehlo.custom_call @mhlo.erf(%a) {mhlo.attributes = {}, mhlo.version = 1 : i64}"
                        " : (tensor<1xf32>) -> tensor<1xf32>\nreturn %0 : tensor<1xf32>"),
                   {Bytes({0.5f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ElementsAre(FloatEq(std::erf(0.5f))));
}

TEST(HostRefusal, NamesTheOpThatHasNoLowering) {
  const auto r = Runner().Run(
      Main("%a: tensor<4xcomplex<f32>>", "tensor<4xcomplex<f32>>",
           "%0 = stablehlo.custom_call @lapack_sgetrf(%a) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>\n"
           "return %0 : tensor<4xcomplex<f32>>"),
      {});
  EXPECT_EQ(r.stage.status, Status::kUnsupported);
  EXPECT_EQ(r.last_stage, "stablehlo-to-linalg");
  EXPECT_THAT(r.stage.diagnostic, HasSubstr("'stablehlo.custom_call'"));
  EXPECT_THAT(r.stage.diagnostic, HasSubstr("lapack_sgetrf"));
}

TEST(HostRefusal, NamesADynamicDimension) {
  const auto r = Runner().Run(Unary("tanh", "tensor<?xf32>"), {});
  EXPECT_EQ(r.stage.status, Status::kUnsupported);
  EXPECT_THAT(r.stage.diagnostic, HasSubstr("has a dynamic dimension"));
}

TEST(HostRefusal, ReportsASyntaxErrorAtParse) {
  const auto r = Runner().Run("func.func @main( {", {});
  EXPECT_EQ(r.stage.status, Status::kFail);
  EXPECT_EQ(r.last_stage, "parse");
  EXPECT_THAT(r.stage.diagnostic, HasSubstr("program.mlir"));
}

TEST(HostRefusal, RequiresAMain) {
  const auto r = Runner().Run("func.func @other() { return }", {});
  EXPECT_EQ(r.stage.status, Status::kFail);
  EXPECT_THAT(r.stage.diagnostic, HasSubstr("@main"));
}

TEST(HostExecution, TakesAndReturnsTensorsWithoutElements) {
  const auto r = Runner().Run(
      "func.func @main(%a: tensor<2x0xf32>, %b: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<0x2xf32>) {\n"
      "  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x0xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>\n"
      "  %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x0xf32>) -> tensor<0x2xf32>\n"
      "  return %0, %1 : tensor<2x1xf32>, tensor<0x2xf32>\n}\n",
      {{}, Bytes({1.f, 2.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(0), ElementsAre(1, 2));
  EXPECT_TRUE(r.outputs[1].empty());
}

TEST(HostExecution, LoopsMaySwapTheirCarriedValues) {
  const auto r = Runner().Run(
      "func.func @main(%a: tensor<2xi32>, %b: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<1xi32>) {\n"
      "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %part = stablehlo.constant dense<0> : tensor<1xi32>\n"
      "  %0:4 = stablehlo.while(%i = %zero, %x = %a, %y = %b, %p = %part)"
      " : tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<1xi32>\n"
      "  cond {\n    %n = stablehlo.constant dense<3> : tensor<i32>\n"
      "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    stablehlo.return %c : tensor<i1>\n  } do {\n"
      "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
      "    %next = stablehlo.add %i, %one : tensor<i32>\n"
      "    %head = stablehlo.slice %x [0:1] : (tensor<2xi32>) -> tensor<1xi32>\n"
      "    stablehlo.return %next, %y, %x, %head : tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<1xi32>\n  }\n"
      "  return %0#1, %0#2, %0#3 : tensor<2xi32>, tensor<2xi32>, tensor<1xi32>\n}\n",
      {Bytes({1, 2}), Bytes({3, 4})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int32_t>(0), ElementsAre(3, 4));
  EXPECT_THAT(r.Values<int32_t>(1), ElementsAre(1, 2));
  EXPECT_THAT(r.Values<int32_t>(2), ElementsAre(1));
}

TEST(HostExecution, SortsAlongADimensionThatIsCountedFromTheEnd) {
  const auto r = Runner().Run(
      Main("%a: tensor<2x3xf32>", "tensor<2x3xf32>",
           "%0 = \"stablehlo.sort\"(%a) ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
           "%p = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
           "stablehlo.return %p : tensor<i1>\n}) {dimension = -1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
           "return %0 : tensor<2x3xf32>"),
      {Bytes({3.f, 1.f, 2.f, 6.f, 5.f, 4.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(HostExecution, AWindowLargerThanItsInputHasNoPosition) {
  const auto r =
      Runner().Run(Main("%a: tensor<7xf32>, %i: tensor<f32>", "tensor<0xf32>",
                        "%0 = \"stablehlo.reduce_window\"(%a, %i) ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
                        "%s = stablehlo.add %x, %y : tensor<f32>\nstablehlo.return %s : tensor<f32>\n})"
                        " {window_dimensions = array<i64: 9>} : (tensor<7xf32>, tensor<f32>) -> tensor<0xf32>\n"
                        "return %0 : tensor<0xf32>"),
                   {Bytes({1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f}), Bytes({0.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_TRUE(r.outputs[0].empty());
}

TEST(HostExecution, AnEmptySliceMayStartAtTheEnd) {
  const auto r = Runner().Run(Main("%a: tensor<3xf32>", "tensor<0xf32>",
                                   "%0 = stablehlo.slice %a [3:3] : (tensor<3xf32>) -> tensor<0xf32>\n"
                                   "return %0 : tensor<0xf32>"),
                              {Bytes({1.f, 2.f, 3.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_TRUE(r.outputs[0].empty());
}

TEST(HostExecution, AnUnsignedIndexPastTheSignedRangeIsOutOfBoundsWithItsWholeWindow) {
  const auto r = Runner().Run(
      Main("%a: tensor<3xf32>, %i: tensor<1xui64>, %u: tensor<2xf32>", "tensor<3xf32>",
           "%0 = \"stablehlo.scatter\"(%a, %i, %u) ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
           "%s = stablehlo.add %x, %y : tensor<f32>\nstablehlo.return %s : tensor<f32>\n})"
           " {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], "
           "scatter_dims_to_operand_dims = [0]>} : (tensor<3xf32>, tensor<1xui64>, tensor<2xf32>) -> tensor<3xf32>\n"
           "return %0 : tensor<3xf32>"),
      {Bytes({1.f, 2.f, 3.f}), Bytes<uint64_t>({~uint64_t{0}}), Bytes({10.f, 20.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ElementsAre(1, 2, 3));
}

TEST(HostExecution, AComplexNumberIsTrueIfItsRealPartIsNotZero) {
  const auto r = Runner().Run(
      Main("%a: tensor<3xcomplex<f32>>", "tensor<3xi1>",
           "%0 = stablehlo.convert %a : (tensor<3xcomplex<f32>>) -> tensor<3xi1>\nreturn %0 : tensor<3xi1>"),
      {Bytes({0.f, 1.f, 2.f, 0.f, 0.f, 0.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<uint8_t>(), ElementsAre(0, 1, 0));
}

TEST(HostExecution, WithoutMantissaBitsANaNIsEncodedAsInfinity) {
  const auto r = Runner().Run(Main("%a: tensor<2xf32>", "tensor<2xf32>",
                                   "%0 = stablehlo.reduce_precision %a, format = e8m0 : tensor<2xf32>\n"
                                   "return %0 : tensor<2xf32>"),
                              {Bytes({std::nanf(""), 1.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ElementsAre(std::numeric_limits<float>::infinity(), 1));
}

}  // namespace
}  // namespace opbyop::host
