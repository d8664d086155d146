// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/program_plan.h"

#include <gtest/gtest.h>

#include "generator/split/case_map.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop::chained {
namespace {

using generator::CaseMap;

TEST(ProgramPlan, TheCategoryOfAnOpIsThatOfItsRecord) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(R"(func.func @main(%a: tensor<2xi32>) -> tensor<2x2xi32> {
    %0 = chlo.mulhi %a, %a : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
    %1 = stablehlo.broadcast %0, sizes = [2] : (tensor<2xi32>) -> tensor<2x2xi32>
    return %1 : tensor<2x2xi32>
  })",
                                          "test.mlir", context);
  ASSERT_TRUE(module) << module.error().message;
  Expected<CaseMap> map = CaseMap::Make(module->get(), {});
  const Expected<ProgramPlan> plan = ProgramPlan::Make(*map);
  ASSERT_EQ(plan->ops().size(), 2u);
  EXPECT_EQ(plan->ops()[0].category, "non-fusion elementwise");
  EXPECT_EQ(plan->ops()[1].category, "broadcast");
}

}  // namespace
}  // namespace opbyop::chained
