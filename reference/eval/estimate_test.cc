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
            8 * 16 * 4);
  EXPECT_EQ(OfOp("%a: tensor<1x8x8x3xf32>, %b: tensor<3x3x3x16xf32>", "tensor<1x6x6x16xf32>",
                 "stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} "
                 "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} "
                 ": (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32>")
                .operations,
            6 * 6 * 16 * 27);
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

TEST(EstimateTest, TooMuchWorkIsReportedWithTheFigure) {
  EXPECT_EQ(TooLarge({.operations = 61e9}, {}), "reference too large: 61.0 G operations, limit 30.0 G");
  EXPECT_EQ(TooLarge({.bytes = 7e9}, {}), "reference too large: 7.0 GB alive at once, limit 6.0 GB");
  EXPECT_EQ(TooLarge({.operations = 1e9, .bytes = 1e9}, {}), std::nullopt);
}

}  // namespace
}  // namespace opbyop::reference
