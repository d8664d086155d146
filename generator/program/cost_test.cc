// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/cost.h"

#include "generator/program/parse_for_test.h"
#include "generator/program/signature.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::generator {
namespace {

class CostTest : public ParsingTest {
 protected:
  CostTest() { context_.loadDialect<stablehlo::StablehloDialect>(); }

  int64_t Flops(std::string_view op, std::string_view text) {
    auto module = Parse(text);
    return module ? EstimateFlops(FindOp(*module, op)) : -1;
  }
};

TEST_F(CostTest, ADotCountsTwoPerMultiplyAdd) {
  EXPECT_EQ(Flops("stablehlo.dot_general", R"(
    func.func @main(%x: tensor<5x2x3xf32>, %y: tensor<5x3x4xf32>) {
      %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1]
        : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
      return
    })"),
            2 * 5 * 2 * 3 * 4);
}

TEST_F(CostTest, AConvolutionSumsOverWindowAndInputFeatures) {
  EXPECT_EQ(Flops("stablehlo.convolution", R"(
    func.func @main(%x: tensor<1x8x8x6xf32>, %k: tensor<3x3x2x9xf32>) {
      %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
        {batch_group_count = 1 : i64, feature_group_count = 3 : i64}
        : (tensor<1x8x8x6xf32>, tensor<3x3x2x9xf32>) -> tensor<1x6x6x9xf32>
      return
    })"),
            2 * (6 * 6 * 9) * (3 * 3 * 2));
}

TEST_F(CostTest, AReductionCountsOneBodyPerElement) {
  EXPECT_EQ(Flops("stablehlo.reduce", R"(
    func.func @main(%x: tensor<4x8xf32>, %i: tensor<f32>) {
      %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
      return
    })"),
            32);
}

TEST_F(CostTest, ElementwiseOpsCountOnePerElementAndDataMovementCountsNothing) {
  EXPECT_EQ(Flops("stablehlo.tanh",
                  "func.func @main(%x: tensor<4x8xf32>) { %0 = stablehlo.tanh %x : tensor<4x8xf32> return }"),
            32);
  EXPECT_EQ(Flops("stablehlo.reshape",
                  "func.func @main(%x: tensor<4x8xf32>) { %0 = stablehlo.reshape %x : (tensor<4x8xf32>) -> "
                  "tensor<32xf32> return }"),
            0);
  EXPECT_EQ(
      Flops("stablehlo.tanh", "func.func @main(%x: tensor<?xf32>) { %0 = stablehlo.tanh %x : tensor<?xf32> return }"),
      0);
}

TEST_F(CostTest, ABatchNormalizationCountsTheOperationsOfItsDefinitionPerElement) {
  EXPECT_EQ(Flops("stablehlo.batch_norm_inference", R"(
    func.func @main(%x: tensor<2x3x4xf32>, %f: tensor<4xf32>) {
      %0 = "stablehlo.batch_norm_inference"(%x, %f, %f, %f, %f) {epsilon = 1.0e-3 : f32, feature_index = 2 : i64}
        : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
      return
    })"),
            4 * 24);
  EXPECT_EQ(Flops("stablehlo.batch_norm_training", R"(
    func.func @main(%x: tensor<2x3x4xf32>, %f: tensor<4xf32>) {
      %0:3 = "stablehlo.batch_norm_training"(%x, %f, %f) {epsilon = 1.0e-3 : f32, feature_index = 2 : i64}
        : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
      return
    })"),
            8 * 24);
  EXPECT_EQ(Flops("stablehlo.batch_norm_grad", R"(
    func.func @main(%x: tensor<2x3x4xf32>, %f: tensor<4xf32>) {
      %0:3 = "stablehlo.batch_norm_grad"(%x, %f, %f, %f, %x) {epsilon = 1.0e-3 : f32, feature_index = 2 : i64}
        : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x3x4xf32>)
        -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
      return
    })"),
            13 * 24);
}

TEST_F(CostTest, BytesCountInputsAndOutputsOnce) {
  EXPECT_EQ(BytesMoved({{{2, 3}, "f32"}, {{3, 4}, "f32"}}, {{{2, 4}, "f32"}}), (6 + 12 + 8) * 4);
  EXPECT_EQ(BytesMoved({{{}, "!stablehlo.token"}}, {{{2}, "i1"}}), 2);
  EXPECT_EQ(BytesMoved({{{kDynamic}, "f32"}}, {}), 0);
}

}  // namespace
}  // namespace opbyop::generator
