// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/specialize/specialize.h"

#include <gmock/gmock.h>

#include "generator/program/parse_for_test.h"
#include "generator/specialize/dimension_values.h"
#include "ir/read_module.h"
#include "support/tensor_type.h"

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

TEST(ShapeArgumentTest, IsANameAShapeAndMaybeADtype) {
  Expected<ShapeArgument> full = ParseShapeArgument("params['w']=2x?x3xcomplex<f32>");
  ASSERT_TRUE(full) << full.error().message;
  EXPECT_EQ(full->name, "params['w']");
  EXPECT_THAT(full->shape, ElementsAre(2, kDynamic, 3));
  EXPECT_EQ(full->dtype, "complex<f32>");
  Expected<ShapeArgument> short_form = ParseShapeArgument("0=4");
  ASSERT_TRUE(short_form);
  EXPECT_THAT(short_form->shape, ElementsAre(4));
  EXPECT_EQ(short_form->dtype, "");
  EXPECT_THAT(ParseShapeArgument("x=f32")->shape, ElementsAre());
}

TEST(ShapeArgumentTest, AnyOtherTextIsAUsageError) {
  for (const char* text : {"", "x", "=4", "x=", "x=4x", "x=-4xf32", "x=4-2"}) {
    Expected<ShapeArgument> argument = ParseShapeArgument(text);
    ASSERT_FALSE(argument) << text;
    EXPECT_EQ(argument.error().code, ExitCode::kUsage);
  }
}

class DimensionValueTest : public testing::Test {
 protected:
  DimensionValueTest() : context_(mlir::MLIRContext::Threading::DISABLED) {}

  // The value of the first operand of @main's return.
  std::optional<DimensionValue> Of(const std::string& body) {
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(
        "func.func @main(%x: tensor<6x4xf32>, %y: tensor<?xf32>, %n: tensor<i32>) -> tensor<2xi32> {\n" + body +
            "  return %r : tensor<2xi32>\n}",
        "test", context_);
    EXPECT_TRUE(module) << module.error().message;
    if (!module) return std::nullopt;
    mlir::Operation* last = FindOp(**module, "func.return");
    return FindDimensionValue(last->getOperand(0));
  }

  mlir::MLIRContext context_;
};

TEST_F(DimensionValueTest, ArithmeticOnSizesIsEvaluated) {
  std::optional<DimensionValue> value = Of(R"(
    %d = stablehlo.get_dimension_size %x, dim = 0 : (tensor<6x4xf32>) -> tensor<i32>
    %c = stablehlo.constant dense<-4> : tensor<i32>
    %q = stablehlo.divide %d, %c : tensor<i32>
    %less = stablehlo.compare LT, %q, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %s = stablehlo.select %less, %q, %d : tensor<i1>, tensor<i32>
    %a = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>
    %b = stablehlo.broadcast_in_dim %d, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  )");
  ASSERT_TRUE(value);
  EXPECT_THAT(value->elements, ElementsAre(-1, 6));
  EXPECT_TRUE(value->from_dimension);
}

TEST_F(DimensionValueTest, ConstantsAloneAreKnownButNotFromADimension) {
  std::optional<DimensionValue> value = Of(R"(
    %c = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi8>
    %s = stablehlo.slice %c [1:4:2] : (tensor<4xi8>) -> tensor<2xi8>
    %big = stablehlo.constant dense<100> : tensor<2xi8>
    %p = stablehlo.multiply %s, %big : tensor<2xi8>
    %r = stablehlo.convert %p : (tensor<2xi8>) -> tensor<2xi32>
  )");
  ASSERT_TRUE(value);
  EXPECT_THAT(value->elements, ElementsAre(-56, -112)) << "i8 wraps";
  EXPECT_FALSE(value->from_dimension);
}

TEST_F(DimensionValueTest, ValuesThatDependOnAnArgumentOrADynamicSizeAreUnknown) {
  EXPECT_FALSE(Of("%r = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<2xi32>\n"));
  EXPECT_FALSE(Of(R"(
    %d = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %r = stablehlo.broadcast_in_dim %d, dims = [] : (tensor<i32>) -> tensor<2xi32>
  )"));
  EXPECT_FALSE(Of(R"(
    %c = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %r = stablehlo.divide %c, %c : tensor<2xi32>
  )"));
}

class SpecializeTest : public DimensionValueTest {
 protected:
  std::string Refusal(const std::string& text, const std::string& shape) {
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(text, "test", context_);
    EXPECT_TRUE(module) << module.error().message;
    Expected<void> done = SpecializeShapes(**module, "main", {*ParseShapeArgument(shape)});
    return done ? "accepted" : done.error().message;
  }
};

TEST_F(SpecializeTest, AShapeThatTheProgramContradictsIsRefused) {
  std::string text = R"(
    func.func @main(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<?xf32> {
      %0 = stablehlo.add %x, %y : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })";
  EXPECT_EQ(Refusal(text, "0=4"), "accepted");
  EXPECT_THAT(Refusal(text, "0=5"), HasSubstr("with these shapes the program is not valid"));
  EXPECT_THAT(Refusal(text, "0=4xf64"), HasSubstr("argument 0 is tensor<?xf32> and cannot be 4xf64"));
  EXPECT_THAT(Refusal(text, "0=?xf64"), HasSubstr("argument 0 is tensor<?xf32> and cannot be ?xf64"));
  EXPECT_THAT(Refusal(text, "0=abc"), EndsWith("argument 0 is tensor<?xf32> and cannot be abc"));
}

TEST_F(SpecializeTest, OriginMetadataIsNotTheNameOfAnArgument) {
  std::string text = R"(
    func.func @main(%x: tensor<?xf32> loc("{\"stack_trace\": \"  File \\\"model.py\\\", line 17, in forward\"}"),
                    %y: tensor<?xf32> loc("mask")) -> tensor<?xf32> {
      return %x : tensor<?xf32>
    })";
  EXPECT_EQ(Refusal(text, "nosuch=4"),
            "no argument is called nosuch; @main has %arg0: tensor<?xf32>, mask: tensor<?xf32>");
}

TEST_F(SpecializeTest, AnAssertionOfJaxAboutItsShapesIsChecked) {
  std::string text = R"(
    func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %d = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      %c = stablehlo.constant dense<4> : tensor<i32>
      %ok = stablehlo.compare GE, %d, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%ok, %d) {error_message = "b >= 4", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
      return %x : tensor<?xf32>
    })";
  EXPECT_EQ(Refusal(text, "0=4"), "accepted");
  EXPECT_THAT(Refusal(text, "0=3"), HasSubstr("refuses these shapes: b >= 4"));
}

}  // namespace
}  // namespace opbyop::generator
