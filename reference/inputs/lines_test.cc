// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/lines.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {
namespace {

std::optional<Lines> LinesIn(const std::string& text, unsigned argument = 0) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(text, "test.mlir", context);
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().message);
  mlir::Operation* entry = *EntryOf(module->get());
  return LinesOf(*entry->getRegion(0).getArgument(argument).getUses().begin());
}

std::string Window(const std::string& form, const std::string& attributes, const std::string& out) {
  return "func.func @main(%a: tensor<4x100xf32>, %z: tensor<f32>) -> tensor<" + out +
         "xf32> {\n %0 = \"stablehlo.reduce_window\"(%a, %z) <{" + attributes +
         "}> ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n %m = stablehlo." + form +
         " %x, %y : tensor<f32>\n stablehlo.return %m : tensor<f32>\n}) : (tensor<4x100xf32>, tensor<f32>) -> tensor<" +
         out + "xf32>\n return %0 : tensor<" + out + "xf32>\n}";
}

TEST(LinesTest, ARunningSumHasALineForEachRow) {
  const auto lines = LinesIn(Window(
      "add", "window_dimensions = array<i64: 1, 100>, padding = dense<[[0, 0], [99, 0]]> : tensor<2x2xi64>", "4x100"));
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->use, LineUse::kSum);
  EXPECT_EQ(lines->block, (Shape{1, 100}));
  EXPECT_TRUE(lines->running);
  EXPECT_FALSE(lines->backwards);
  EXPECT_FALSE(lines->slides);
}

TEST(LinesTest, ARunningMaximumFromTheEndRunsBackwards) {
  const auto lines = LinesIn(
      Window("maximum", "window_dimensions = array<i64: 1, 100>, padding = dense<[[0, 0], [0, 99]]> : tensor<2x2xi64>",
             "4x100"));
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->use, LineUse::kExtreme);
  EXPECT_TRUE(lines->running);
  EXPECT_TRUE(lines->backwards);
}

TEST(LinesTest, OverlappingWindowsSlide) {
  const auto lines =
      LinesIn(Window("maximum", "window_dimensions = array<i64: 2, 3>, padding = dense<0> : tensor<2x2xi64>", "3x98"));
  ASSERT_TRUE(lines);
  EXPECT_TRUE(lines->slides);
  EXPECT_FALSE(lines->running);
}

TEST(LinesTest, AdjacentWindowsDoNotSlide) {
  const auto lines =
      LinesIn(Window("maximum", "window_dimensions = array<i64: 2, 5>, window_strides = array<i64: 2, 5>", "2x20"));
  ASSERT_TRUE(lines);
  EXPECT_FALSE(lines->slides);
  EXPECT_EQ(lines->count(), 40);
}

TEST(LinesTest, AMaximumFromAConstantWithinTheValuesIsNotNeutral) {
  const auto text = [](const std::string& init) {
    return "func.func @main(%a: tensor<4x100xf32>) -> tensor<4xf32> {\n %z = stablehlo.constant dense<" + init +
           "> : tensor<f32>\n %0 = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [1] : "
           "(tensor<4x100xf32>, tensor<f32>) -> tensor<4xf32>\n return %0 : tensor<4xf32>\n}";
  };
  EXPECT_FALSE(LinesIn(text("0.0"))->neutral);
  EXPECT_TRUE(LinesIn(text("0xFF800000"))->neutral);
}

TEST(LinesTest, ALineHasThePlacesOfItsBlockInOrder) {
  const Lines lines{.shape = {4, 3, 5}, .block = {4, 1, 2}};
  std::vector<std::vector<int64_t>> places;
  ForEachLine(lines, [&](const Line& line) {
    places.emplace_back();
    ForEachPlace(line, [&](int64_t k, int64_t place) {
      EXPECT_EQ(place, line.Place(k));
      places.back().push_back(place);
    });
  });
  ASSERT_EQ(places.size(), 9U);
  EXPECT_EQ(places[0], (std::vector<int64_t>{0, 1, 15, 16, 30, 31, 45, 46}));
  EXPECT_EQ(places[5], (std::vector<int64_t>{9, 24, 39, 54})) << "the last of a dimension are cut short";
}

}  // namespace
}  // namespace opbyop::reference
