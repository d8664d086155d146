// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/loop_trips.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/read_module.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop {
namespace {

std::optional<int64_t> TripsOfLoop(const std::string& direction, const std::string& step, const std::string& to) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(R"(func.func @main(%n: tensor<i32>) -> tensor<i32> {
    %from = stablehlo.constant dense<0> : tensor<i32>
    %ten = stablehlo.constant dense<10> : tensor<i32>
    %step = stablehlo.constant dense<)" + step +
                                              R"(> : tensor<i32>
    %0 = stablehlo.while(%i = %from) : tensor<i32>
    cond {
      %1 = stablehlo.compare )" + direction + ", %i, " +
                                              to + R"( : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %2 = stablehlo.add %i, %step : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }
    return %0 : tensor<i32>
  })",
                                          "test.mlir", context);
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().message);
  std::optional<int64_t> trips;
  module->get().walk([&](mlir::Operation* op) {
    if (op->getName().getStringRef() == "stablehlo.while") trips = TripsOf(*op);
  });
  return trips;
}

TEST(LoopTripsTest, OnlyALoopThatCountsTowardsItsEndHasKnownTrips) {
  EXPECT_EQ(TripsOfLoop("LT", "3", "%ten"), 4);
  EXPECT_EQ(TripsOfLoop("LT", "5", "%ten"), 2);
  EXPECT_EQ(TripsOfLoop("LT", "-1", "%ten"), std::nullopt) << "away from it";
  EXPECT_EQ(TripsOfLoop("LT", "0", "%ten"), std::nullopt);
  EXPECT_EQ(TripsOfLoop("NE", "3", "%ten"), std::nullopt) << "past it";
  EXPECT_EQ(TripsOfLoop("LT", "1", "%n"), std::nullopt);
}

TEST(LoopTripsTest, AComparisonThatIncludesTheEndAddsATripIfTheEndIsReached) {
  EXPECT_EQ(TripsOfLoop("LE", "5", "%ten"), 3);
  EXPECT_EQ(TripsOfLoop("LE", "3", "%ten"), 4);
  EXPECT_EQ(TripsOfLoop("GT", "-1", "%ten"), 0);
}

}  // namespace
}  // namespace opbyop
