// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/region_trial.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/read_module.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop::reference {
namespace {

class RegionTrialTest : public testing::Test {
 protected:
  mlir::Operation* Find(const std::string& text, llvm::StringRef name) {
    auto module = ReadModuleFromBytes(text, "test.mlir", context_);
    EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().message);
    module_ = std::move(*module);
    mlir::Operation* found = nullptr;
    module_->walk([&](mlir::Operation* op) {
      if (op->getName().getStringRef() == name) found = op;
    });
    return found;
  }
  // Returns an arg-max. `body` defines the predicates %first and %index, which select the value and its index.
  mlir::Operation* ArgMax(const std::string& body) {
    return Find(R"(func.func @main(%a: tensor<3x5xf32>, %i: tensor<3x5xi32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zi = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%a init: %z), (%i init: %zi) across dimensions = [1] : (tensor<3x5xf32>, tensor<3x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
   reducer(%x: tensor<f32>, %y: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
)" + body + R"(
    %v = stablehlo.select %first, %x, %y : tensor<i1>, tensor<f32>
    %w = stablehlo.select %index, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi32>
})",
                "stablehlo.reduce");
  }
  OrderTrial Order(const std::string& how) {
    return TryOrder(Find(R"(func.func @main(%a: tensor<9xf32>, %i: tensor<9xi32>) -> (tensor<9xf32>, tensor<9xi32>) {
  %0:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
      %c = stablehlo.compare )" +
                             how + R"( : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }) : (tensor<9xf32>, tensor<9xi32>) -> (tensor<9xf32>, tensor<9xi32>)
  return %0#0, %0#1 : tensor<9xf32>, tensor<9xi32>
})",
                         "stablehlo.sort"),
                    operand_);
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  unsigned operand_ = 0;
};

constexpr const char* kJax = R"(
    %gt = stablehlo.compare GT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %nan = stablehlo.compare NE, %x, %x, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %first = stablehlo.or %gt, %nan : tensor<i1>
    %eq = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %lt = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %tie = stablehlo.and %eq, %lt : tensor<i1>
    %index = stablehlo.or %first, %tie : tensor<i1>)";

TEST_F(RegionTrialTest, ArgMaxPicksTheGreatestAndTakesNan) {
  const PickTrial trial = TryPick(ArgMax(kJax), 0);
  EXPECT_TRUE(trial.picks);
  EXPECT_TRUE(trial.greatest);
  EXPECT_TRUE(trial.ordered);
  EXPECT_TRUE(trial.takes_nan);
}

TEST_F(RegionTrialTest, TheIndexOfArgMaxIsNotPicked) { EXPECT_FALSE(TryPick(ArgMax(kJax), 1).picks); }

TEST_F(RegionTrialTest, ASelectionByOneComparisonHasNoPlaceForNanOrTies) {
  const PickTrial trial = TryPick(ArgMax(R"(
    %first = stablehlo.compare LE, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %index = stablehlo.compare LE, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>)"),
                                  0);
  EXPECT_TRUE(trial.picks);
  EXPECT_FALSE(trial.greatest);
  EXPECT_FALSE(trial.ordered);
  EXPECT_FALSE(trial.takes_nan);
}

TEST_F(RegionTrialTest, TotalOrderHasPlacesForBothZerosAndNan) {
  const OrderTrial trial = Order("LT, %x, %y, TOTALORDER");
  EXPECT_TRUE(trial.key);
  EXPECT_TRUE(trial.takes_nan);
  EXPECT_TRUE(trial.total);
}

TEST_F(RegionTrialTest, LessThanHasNoPlaceForNan) {
  const OrderTrial trial = Order("GT, %x, %y, FLOAT");
  EXPECT_TRUE(trial.key);
  EXPECT_FALSE(trial.takes_nan);
  EXPECT_FALSE(trial.total);
}

TEST_F(RegionTrialTest, AnOperandThatTheComparatorIgnoresIsNotAKey) {
  operand_ = 1;
  EXPECT_FALSE(Order("LT, %x, %y, TOTALORDER").key);
}

}  // namespace
}  // namespace opbyop::reference
