// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/shape_operand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/inputs/inputs.h"

namespace opbyop::reference {
namespace {

using testing::ElementsAre;

// Returns the integers that are drawn for argument `argument` of @main.
std::vector<int64_t> Draw(const std::string& text, size_t argument, InputKind kind = InputKind::kDomain) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = ReadModuleFromBytes(text, "test.mlir", context);
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().message);
  const auto inputs = MakeInputs(module->get(), kind, 7);
  EXPECT_TRUE(inputs.has_value()) << (inputs ? "" : inputs.error().message);
  const InputData& input = inputs->at(argument);
  return TensorFromBytes(input.type, input.shape, input.bytes)->Integers();
}

std::string Main(const std::string& arguments, const std::string& result, const std::string& op) {
  return "func.func @main(" + arguments + ") -> " + result + " {\n%r = " + op + "\nreturn %r : " + result + "\n}";
}

TEST(ShapeOperandTest, AShapeIsThatOfTheResultUnderEdgeToo) {
  const std::string text = Main("%a: tensor<6xf32>, %s: tensor<2xi32>", "tensor<2x3xf32>",
                                "stablehlo.dynamic_reshape %a, %s : (tensor<6xf32>, tensor<2xi32>) -> tensor<2x3xf32>");
  EXPECT_THAT(Draw(text, 1), ElementsAre(2, 3));
  EXPECT_THAT(Draw(text, 1, InputKind::kEdge), ElementsAre(2, 3));
}

TEST(ShapeOperandTest, AnOpenDimensionOfAReshapeTakesTheRemainingElements) {
  EXPECT_THAT(Draw(Main("%a: tensor<6xf32>, %s: tensor<3xi64>", "tensor<?x2x?xf32>",
                        "stablehlo.dynamic_reshape %a, %s : (tensor<6xf32>, tensor<3xi64>) -> tensor<?x2x?xf32>"),
                   1),
              ElementsAre(3, 2, 1));
}

TEST(ShapeOperandTest, AnOpenDimensionOfABroadcastIsThatOfTheOperandOrSmall) {
  const auto shape = Draw(Main("%a: tensor<5xf32>, %s: tensor<2xi32>", "tensor<?x?xf32>",
                               "stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<5xf32>, tensor<2xi32>) "
                               "-> tensor<?x?xf32>"),
                          1);
  EXPECT_THAT(shape, ElementsAre(testing::AllOf(testing::Ge(1), testing::Le(4)), 5));
}

TEST(ShapeOperandTest, AnIotaOfAnySizeIsSmall) {
  EXPECT_THAT(Draw(Main("%s: tensor<2xi64>", "tensor<?x?xf32>",
                        "stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>"),
                   0),
              testing::Each(testing::AllOf(testing::Ge(1), testing::Le(4))));
}

TEST(ShapeOperandTest, EdgesOfAPadMakeUpTheDifference) {
  const std::string text = Main(
      "%a: tensor<4xf32>, %v: tensor<f32>, %l: tensor<1xi64>, %h: tensor<1xi64>, %i: tensor<1xi64>", "tensor<7xf32>",
      "stablehlo.dynamic_pad %a, %v, %l, %h, %i : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, "
      "tensor<1xi64>) -> tensor<7xf32>");
  EXPECT_THAT(Draw(text, 2), ElementsAre(0));
  EXPECT_THAT(Draw(text, 3), ElementsAre(3));
  EXPECT_THAT(Draw(text, 4), ElementsAre(0));
}

TEST(ShapeOperandTest, TheOperandsOfAConcatenatedShapeAreDrawnToFit) {
  const std::string text =
      R"(func.func @main(%a: tensor<6xf32>, %s: tensor<1xi32>, %t: tensor<1xi32>) -> tensor<2x3xf32> {
    %c = stablehlo.concatenate %s, %t, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %r = stablehlo.dynamic_reshape %a, %c : (tensor<6xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  })";
  EXPECT_THAT(Draw(text, 1), ElementsAre(2));
  EXPECT_THAT(Draw(text, 2), ElementsAre(3));
}

TEST(ShapeOperandTest, AnAssertedPredicateIsTrue) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = ReadModuleFromBytes(R"(func.func @main(%p: tensor<i1>, %d: tensor<i32>) -> tensor<i32> {
    stablehlo.custom_call @shape_assertion(%p, %d) {error_message = "b >= 4", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    return %d : tensor<i32>
  })",
                                    "test.mlir", context);
  ASSERT_TRUE(module.has_value()) << module.error().message;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(MakeInputs(module->get(), InputKind::kEdge, seed)->at(0).bytes[0], std::byte{1});
  }
}

}  // namespace
}  // namespace opbyop::reference
