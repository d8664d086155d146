// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop::reference {
namespace {

Work Of(const std::string& text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(text, "test.mlir", context);
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().message);
  return module ? EstimateWork(module->get()) : Work();
}

// The work of a program that consists of one op in generic form.
Work OfOp(const std::string& arguments, const std::string& results, const std::string& op) {
  return Of("func.func @main(" + arguments + ") -> " + results + " {\n  %r = " + op + "\n  return %r : " + results +
            "\n}\n");
}

TEST(EstimateTest, ContractionsCountTheirProducts) {
  EXPECT_EQ(OfOp("%a: tensor<8x16xf32>, %b: tensor<16x4xf32>", "tensor<8x4xf32>",
                 "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] "
                 ": (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>")
                .operations,
            8 * 4 + 8 * 16 + 16 * 4 + 8 * 16 * 4 / 16);
  EXPECT_EQ(OfOp("%a: tensor<1x8x8x3xf32>, %b: tensor<3x3x3x16xf32>", "tensor<1x6x6x16xf32>",
                 "stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} "
                 "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} "
                 ": (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32>")
                .operations,
            6 * 6 * 16 + 8 * 8 * 3 + 9 * 3 * 16 + 6 * 6 * 16 * 27 / 16);
  // Sums of f64 are compensated, and those of integers may wrap around: they cost a step for each product.
  for (const std::string type : {"f64", "i32"}) {
    const std::string a = "tensor<8x16x" + type + ">", b = "tensor<16x4x" + type + ">", c = "tensor<8x4x" + type + ">";
    EXPECT_EQ(OfOp("%a: " + a + ", %b: " + b, c,
                   "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (" + a + ", " + b + ") -> " + c)
                  .operations,
              8 * 16 * 4);
  }
}

std::string Window(const std::string& attributes) {
  return R"("stablehlo.reduce_window"(%a, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {)" +
         attributes + "} : (tensor<1x4096xf32>, tensor<f32>) -> tensor<1x4096xf32>";
}

TEST(EstimateTest, ACumulativeSumCostsItsElementsAndAnyOtherWindowItsPositions) {
  const auto operations = [](const std::string& attributes) {
    return OfOp("%a: tensor<1x4096xf32>, %i: tensor<f32>", "tensor<1x4096xf32>", Window(attributes)).operations;
  };
  const std::string whole = "window_dimensions = array<i64: 1, 4096>, padding = dense<";
  EXPECT_LT(operations(whole + "[[0, 0], [4095, 0]]> : tensor<2x2xi64>"), 1e5);
  EXPECT_LT(operations(whole + "[[0, 0], [0, 4095]]> : tensor<2x2xi64>"), 1e5);
  EXPECT_GT(operations(whole + "[[0, 0], [4000, 95]]> : tensor<2x2xi64>"), 1e7);
  EXPECT_GT(
      operations("window_dimensions = array<i64: 1, 4095>, padding = dense<[[0, 0], [4094, 0]]> : tensor<2x2xi64>"),
      1e7);
}

TEST(EstimateTest, LargeOperandsOfProductsAndMovementAreHeldAsTheyAreStored) {
  const auto bytes = [](const std::string& body, const std::string& result) {
    return Of("func.func @main(%t: tensor<4096x8192xbf16>, %x: tensor<8x4096xbf16>) -> " + result + " {\n" + body +
              "\n  return %r : " + result + "\n}")
        .bytes;
  };
  constexpr double kTable = 4096.0 * 8192 * 2, kVectors = 8 * 4096 * 8, kSums = 8 * 8192 * 16;
  const std::string product =
      "  %r = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] "
      ": (tensor<8x4096xbf16>, tensor<4096x8192xbf16>) -> tensor<8x8192xbf16>";
  EXPECT_EQ(bytes(product, "tensor<8x8192xbf16>"), kTable + kVectors + kSums);
  const std::string transposed =
      "  %r = stablehlo.transpose %t, dims = [1, 0] "
      ": (tensor<4096x8192xbf16>) -> tensor<8192x4096xbf16>";
  EXPECT_EQ(bytes(transposed, "tensor<8192x4096xbf16>"), kTable + kVectors + kTable);
  // The table is decoded by a function of its elements.
  const std::string function = "  %r = stablehlo.tanh %t : tensor<4096x8192xbf16>";
  EXPECT_EQ(bytes(function, "tensor<4096x8192xbf16>"), 4 * kTable + kVectors + 8 * kTable);
  const std::string both = product + "\n  %u = stablehlo.tanh %t : tensor<4096x8192xbf16>";
  EXPECT_GT(bytes(both, "tensor<8x8192xbf16>"), 4 * kTable);
}

TEST(EstimateTest, WindowsSortsAndMatricesCostMoreThanTheirElements) {
  const std::string region = R"({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
  })";
  EXPECT_GE(OfOp("%a: tensor<100xf32>, %i: tensor<f32>", "tensor<91xf32>",
                 "\"stablehlo.reduce_window\"(%a, %i) (" + region +
                     ") {window_dimensions = array<i64: 10>} : (tensor<100xf32>, tensor<f32>) -> tensor<91xf32>")
                .operations,
            910);
  EXPECT_GE(OfOp("%a: tensor<1024xf32>", "tensor<1024xf32>",
                 R"("stablehlo.sort"(%a) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<1024xf32>) -> tensor<1024xf32>)")
                .operations,
            10240);
  EXPECT_EQ(
      OfOp("%a: tensor<2x50x50xf64>", "tensor<2x50x50xf64>", "stablehlo.cholesky %a : tensor<2x50x50xf64>").operations,
      2 * 50 * 50 * 50);
}

TEST(EstimateTest, ACountedLoopCostsItsBodyOncePerTrip) {
  const auto loop = [](const std::string& limit) {
    return Of("func.func @main(%a: tensor<1000xf32>) -> tensor<1000xf32> {\n"
              "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
              "  %limit = stablehlo.constant dense<" +
              limit + "> : tensor<i32>\n" +
              R"(  %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<1000xf32>
    cond {
      %c = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.add %i, %one : tensor<i32>
      %y = stablehlo.add %x, %x : tensor<1000xf32>
      stablehlo.return %n, %y : tensor<i32>, tensor<1000xf32>
    }
  return %r#1 : tensor<1000xf32>
})")
        .operations;
  };
  EXPECT_GT(loop("5000000"), 1e10);
  EXPECT_LT(loop("2"), 1e5);
}

TEST(EstimateTest, MemoryIsThePeakOfLiveValues) {
  // A chain of four values, of which two are alive at a time.
  const Work chain = Of(R"(func.func @main(%a: tensor<1000xf32>) -> tensor<1000xf32> {
    %0 = stablehlo.add %a, %a : tensor<1000xf32>
    %1 = stablehlo.add %0, %0 : tensor<1000xf32>
    %2 = stablehlo.add %1, %1 : tensor<1000xf32>
    %3 = stablehlo.add %2, %2 : tensor<1000xf32>
    return %3 : tensor<1000xf32>
  })");
  EXPECT_EQ(chain.bytes, 8000 + 2 * 16000);
  EXPECT_EQ(chain.live_bytes, 3 * 4000);
}

TEST(EstimateTest, ACompositeThatStandsForAnOpCostsThatOpIfItsDecompositionIsTooMuch) {
  const auto composite = [](const std::string& name) {
    return Of(R"(
func.func @main(%a: tensor<9216x9216xf32>, %k: tensor<9216x9216xf32>) -> tensor<9216x9216xf32> {
  %0 = stablehlo.composite ")" +
              name + R"(" %a {decomposition = @large} : (tensor<9216x9216xf32>) -> tensor<9216x9216xf32>
  return %0 : tensor<9216x9216xf32>
}
func.func private @large(%a: tensor<9216x9216xf32>) -> tensor<9216x9216xf32> {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<9216x9216xf32>, tensor<9216x9216xf32>) -> tensor<9216x9216xf32>
  return %0 : tensor<9216x9216xf32>
})");
  };
  EXPECT_GT(composite("mine.cosh").operations, protocol::kMostSteps);
  EXPECT_GT(composite("chlo.not_known_here").operations, protocol::kMostSteps);
  EXPECT_EQ(composite("chlo.cosh").operations, 2.0 * 9216 * 9216);
}

TEST(EstimateTest, TooMuchWorkIsReportedWithTheFigure) {
  EXPECT_EQ(TooLarge({.operations = 61e9}, {}), "reference too large: 61.0 G operations, limit 30.0 G");
  EXPECT_EQ(TooLarge({.bytes = 7e9}, {}), "reference too large: 7.0 GB alive at once, limit 6.0 GB");
  EXPECT_EQ(TooLarge({.operations = 1e9, .bytes = 1e9}, {}), std::nullopt);
}

}  // namespace
}  // namespace opbyop::reference
