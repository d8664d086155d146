// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/sharding/product_parts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/read_module.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop {
namespace {

const Axes kTwo = {{.stride = 4, .size = 2}};
const Axes kFour = {{.stride = 1, .size = 4}};

int64_t PartsIn(const std::string& body, const std::vector<Division>& arguments) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = ReadModuleFromBytes(body, "test.mlir", context);
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().message);
  return ProductParts((*module)->lookupSymbol<mlir::FunctionOpInterface>("main"), arguments);
}

const char* kDot = R"(func.func @main(%a: tensor<4x64xbf16>, %b: tensor<64x6xbf16>) -> tensor<4x6xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x64xbf16>, tensor<64x6xbf16>) -> tensor<4x6xbf16>
  return %0 : tensor<4x6xbf16>
})";

TEST(ProductPartsTest, ADividedSummedDimensionHasAPartForEachOfItsDevices) {
  EXPECT_EQ(PartsIn(kDot, {{{}, kFour}, {kFour, {}}}), 4);
  EXPECT_EQ(PartsIn(kDot, {{{}, {{.stride = 1, .size = 8}}}, {{}, {}}}), 8);
}

TEST(ProductPartsTest, DimensionsThatAreNotSummedDoNotCount) {
  EXPECT_EQ(PartsIn(kDot, {{kTwo, {}}, {{}, kFour}}), 1);
  EXPECT_EQ(PartsIn(kDot, {{{}, {}}, {{}, {}}}), 1);
}

TEST(ProductPartsTest, APartitionerMayTakeTheAxesOfBothOperands) {
  EXPECT_EQ(PartsIn(kDot, {{{}, kTwo}, {kFour, {}}}), 8);
  // The half of y is a part of y.
  EXPECT_EQ(PartsIn(kDot, {{{}, {{.stride = 2, .size = 2}}}, {kFour, {}}}), 4);
}

TEST(ProductPartsTest, AConvolutionAddsUpOverFeaturesAndSpace) {
  const char* convolution =
      R"(func.func @main(%a: tensor<2x8x8x4xbf16>, %b: tensor<3x3x4x8xbf16>) -> tensor<2x6x6x8xbf16> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x8x8x4xbf16>, tensor<3x3x4x8xbf16>) -> tensor<2x6x6x8xbf16>
  return %0 : tensor<2x6x6x8xbf16>
})";
  EXPECT_EQ(PartsIn(convolution, {{{}, {}, {}, kFour}, {{}, {}, kFour, {}}}), 4);
  EXPECT_EQ(PartsIn(convolution, {{{}, kTwo, {}, {}}, {{}, {}, {}, {}}}), 2);
  EXPECT_EQ(PartsIn(convolution, {{kTwo, {}, {}, {}}, {{}, {}, {}, kFour}}), 1);
}

TEST(ProductPartsTest, OperandsThatTheProgramComputesMayBeDividedByEveryAxis) {
  const char* program = R"(func.func @main(%a: tensor<4x64xbf16>, %b: tensor<64x6xbf16>) -> tensor<4x6xbf16> {
  %n = stablehlo.negate %a : tensor<4x64xbf16>
  %0 = stablehlo.dot_general %n, %b, contracting_dims = [1] x [0] : (tensor<4x64xbf16>, tensor<64x6xbf16>) -> tensor<4x6xbf16>
  return %0 : tensor<4x6xbf16>
})";
  EXPECT_EQ(PartsIn(program, {{kTwo, {}}, {{}, kFour}}), 8);
}

TEST(ProductPartsTest, NothingDividesTheSumsOfAManualComputation) {
  const char* program = R"(sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<4x64xbf16>, %b: tensor<64x6xbf16>) -> tensor<4x6xbf16> {
  %0 = sdy.manual_computation(%a, %b) in_shardings=[<@m, [{"x"}, {}]>, <@m, [{}, {}]>]
      out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%p: tensor<1x64xbf16>, %q: tensor<64x6xbf16>) {
    %1 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] : (tensor<1x64xbf16>, tensor<64x6xbf16>) -> tensor<1x6xbf16>
    sdy.return %1 : tensor<1x6xbf16>
  } : (tensor<4x64xbf16>, tensor<64x6xbf16>) -> tensor<4x6xbf16>
  return %0 : tensor<4x6xbf16>
})";
  EXPECT_EQ(PartsIn(program, {{kFour, {}}, {{}, {}}}), 1);
}

TEST(ProductPartsTest, AConstantIsWhole) {
  const char* program = R"(func.func @main(%a: tensor<4x2xbf16>) -> tensor<4x1xbf16> {
  %c = stablehlo.constant dense<1.0> : tensor<2x1xbf16>
  %0 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<4x2xbf16>, tensor<2x1xbf16>) -> tensor<4x1xbf16>
  return %0 : tensor<4x1xbf16>
})";
  EXPECT_EQ(PartsIn(program, {{kFour, kTwo}}), 2);
}

TEST(ProductPartsTest, AnOpMayBeAskedByItself) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module =
      ReadModuleFromBytes(R"(func.func @main(%a: tensor<4x64xbf16>, %b: tensor<64x6xbf16>) -> tensor<4x6xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x64xbf16>, tensor<64x6xbf16>) -> tensor<4x6xbf16>
  return %0 : tensor<4x6xbf16>
})",
                          "test.mlir", context);
  ASSERT_TRUE(module) << module.error().message;
  module->get().walk([](stablehlo::DotGeneralOp dot) {
    EXPECT_EQ(ProductParts(dot.getOperation(), {{{}, kFour}, {kFour, {}}}), 4);
    EXPECT_EQ(ProductParts(dot.getOperation(), {{kFour, {}}, {}}), 1) << "a constant has no division";
  });
}

}  // namespace
}  // namespace opbyop
