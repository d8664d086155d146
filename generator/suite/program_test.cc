// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/program.h"

#include <gmock/gmock.h>

#include "ir/register.h"

namespace opbyop::generator {
namespace {

using testing::HasSubstr;

class ProgramTest : public testing::Test {
 protected:
  ProgramTest() : context_(mlir::MLIRContext::Threading::DISABLED) {
    mlir::DialectRegistry registry;
    RegisterAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
  }

  // The text of the module that the recipe makes with these values, or its error.
  std::string Build(const Recipe& recipe, const std::vector<Binding>& bindings = {{}}) {
    ProgramBuilder builder(context_);
    builder.Add(recipe, bindings);
    auto module = builder.Finish();
    if (!module) return module.error().message;
    std::string text;
    llvm::raw_string_ostream stream(text);
    (*module)->print(stream);
    return text;
  }

  mlir::MLIRContext context_;
};

TEST(TypeTextTest, ShapesAndElementsAreTensors) {
  EXPECT_EQ(TypeText("2x3 f32"), "tensor<2x3xf32>");
  EXPECT_EQ(TypeText("scalar i1"), "tensor<i1>");
  EXPECT_EQ(TypeText("i1"), "tensor<i1>");
  EXPECT_EQ(TypeText("complex<f32>"), "tensor<complex<f32>>");
  EXPECT_EQ(TypeText("4 !quant.uniform<i8:f32, 0.5>"), "tensor<4x!quant.uniform<i8:f32, 0.5>>");
  EXPECT_EQ(TypeText("tuple<tensor<f32>, tensor<i1>>"), "tuple<tensor<f32>, tensor<i1>>");
  EXPECT_EQ(TypeText("!stablehlo.token"), "!stablehlo.token");
}

TEST(SubstituteTest, NamesAreReplacedByValuesThatMayContainNames) {
  EXPECT_EQ(Substitute("$S ${T}x $U $0", {{"S", "2"}, {"T", "<$U>"}, {"U", "i8"}}), "2 <i8>x i8 $0");
}

TEST(SubstituteTest, ACycleOfNamesEnds) { EXPECT_EQ(Substitute("$A", {{"A", "$B"}, {"B", "$A"}}), "$A"); }

TEST_F(ProgramTest, ResultTypesAreInferredAndOpsSayWhatTheyCover) {
  const std::string text = Build({.op = "stablehlo.slice",
                                  .in = "7 $T",
                                  .with = "start_indices = array<i64: 1>, limit_indices = array<i64: 6>, strides = "
                                          "array<i64: 2>, "},
                                 {{{{"T", "bf16"}}, {"C1", "S1"}}});
  EXPECT_THAT(text, HasSubstr("(tensor<7xbf16>) -> tensor<3xbf16>"));
  EXPECT_THAT(text, HasSubstr("opbyop.covers = [\"slice.C1\", \"slice.S1\"]"));
}

TEST_F(ProgramTest, AnInferredShapeTakesStatedElements) {
  const std::string text = Build({.op = "stablehlo.dot_general",
                                  .in = "2x3 bf16, 3x4 bf16",
                                  .out = "_ f32",
                                  .with = "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], "
                                          "rhs_contracting_dimensions = [0]>"});
  EXPECT_THAT(text, HasSubstr("-> tensor<2x4xf32>"));
}

TEST_F(ProgramTest, ConstantsRegionsCapturesAndFunctionsAreThoseOfTheRecipe) {
  const std::string text = Build({.op = "stablehlo.if",
                                  .in = "dense<true> : tensor<i1>",
                                  .captures = "3 f32",
                                  .body = "{ stablehlo.return $1 : tensor<3xf32> }, { stablehlo.return $1 : "
                                          "tensor<3xf32> }"});
  EXPECT_THAT(text, HasSubstr("stablehlo.constant dense<true>"));
  EXPECT_THAT(text, HasSubstr("func.func @main(%arg0: tensor<3xf32>)"));
}

TEST_F(ProgramTest, AnInvalidProgramIsNamedWithItsRecipeAndItsText) {
  const std::string text = Build({.op = "stablehlo.add", .in = "2 f32, 3 f32", .file = "some.yaml", .line = 7});
  EXPECT_THAT(text, HasSubstr("some.yaml:7: the recipe makes a program that is not valid"));
  EXPECT_THAT(text, HasSubstr("(tensor<2xf32>, tensor<3xf32>)"));
}

TEST_F(ProgramTest, AnOpThatInfersNothingNeedsOut) {
  EXPECT_THAT(Build({.op = "stablehlo.reshape", .in = "2 f32"}), HasSubstr("the recipe must have `out`"));
}

}  // namespace
}  // namespace opbyop::generator
