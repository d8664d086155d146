// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/model_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "support/files/file.h"

namespace opbyop::generator {
namespace {

using testing::HasSubstr;

constexpr std::string_view kTwoFunctions = R"mlir(
  func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }
  func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {
    %0 = stablehlo.abs %a : tensor<?xf32>
    return %0 : tensor<?xf32>
  })mlir";

class ModelSplitTest : public testing::Test {
 protected:
  Model Written(std::string_view text) {
    const std::string file = testing::TempDir() + "/model_split_test.mlir";
    EXPECT_TRUE(WriteFile(file, text));
    return {.name = "m", .source = file};
  }

  mlir::MLIRContext context_;
};

TEST_F(ModelSplitTest, TheOptionsAreReadBackFromTheRecord) {
  SplitOptions options;
  options.fold_limit = 7;
  options.vary_constants = false;
  options.walk = {.inside_regions = true, .composites = Composites::kInline};
  options.shards = Shards::kLocal;
  const SplitOptions again = OptionsOf({.split = RecordOf(options, false)});
  EXPECT_EQ(RecordOf(again, false), RecordOf(options, false));
}

TEST_F(ModelSplitTest, TheEntryFunctionIsMainForTheShapesOfTheSplit) {
  Model model = Written(kTwoFunctions);
  model.entry = "f";
  model.shapes = {"0=3xf32"};
  const auto module = ReadAsSplit(model, context_);
  ASSERT_TRUE(module) << module.error().message;
  auto main = mlir::dyn_cast_or_null<mlir::FunctionOpInterface>(mlir::SymbolTable::lookupSymbolIn(**module, "main"));
  ASSERT_TRUE(main);
  EXPECT_EQ(mlir::cast<mlir::ShapedType>(main.getArgumentTypes()[0]).getShape(), llvm::ArrayRef<int64_t>{3});
}

TEST_F(ModelSplitTest, AFileThatChangedIsRefused) {
  Model model = Written(kTwoFunctions);
  model.sha256 = "00";
  const auto module = ReadAsSplit(model, context_);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code, ExitCode::kBadInput);
  EXPECT_THAT(module.error().message, HasSubstr("has changed since it was split"));
}

TEST_F(ModelSplitTest, MhloIsReadIfTheSplitKeptIt) {
  Model model = Written("func.func @main() { \"mhlo.nop\"() : () -> () return }");
  EXPECT_FALSE(ReadAsSplit(model, context_));
  model.split = {.allow_unregistered = true};
  mlir::MLIRContext other;
  EXPECT_TRUE(ReadAsSplit(model, other));
}

TEST_F(ModelSplitTest, CombinedOptionsSplitEverythingThatEitherSplitDoes) {
  const ModelSplit first = {.fold_limit = 8, .vary_constants = true, .inside_regions = true, .shards = Shards::kLocal};
  const ModelSplit second = {.fold_limit = 64, .composites = Composites::kInline, .allow_unregistered = true};
  EXPECT_EQ(Combine(first, second), (ModelSplit{.fold_limit = 8,
                                                .vary_constants = true,
                                                .inside_regions = true,
                                                .composites = Composites::kInline,
                                                .shards = Shards::kLocal,
                                                .allow_unregistered = true}));
  EXPECT_EQ(Combine(std::nullopt, second), std::nullopt);
}

}  // namespace
}  // namespace opbyop::generator
