#include "ir/op_info.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(OpInfo, KnowsCategoryAndRoles) {
  const OpInfo* gather = LookUpOp("stablehlo.gather");
  ASSERT_NE(gather, nullptr);
  EXPECT_EQ(gather->category, "data movement");
  EXPECT_EQ(RoleOf(*gather, 0, 2), OperandRole::kValue);
  EXPECT_EQ(RoleOf(*gather, 1, 2), OperandRole::kIndex);
}

TEST(OpInfo, SpreadsVariadicRolesOverTheOperands) {
  const OpInfo* scatter = LookUpOp("stablehlo.scatter");
  ASSERT_NE(scatter, nullptr);
  EXPECT_EQ(RoleOf(*scatter, 1, 5), OperandRole::kValue);
  EXPECT_EQ(RoleOf(*scatter, 2, 5), OperandRole::kIndex);
  EXPECT_EQ(RoleOf(*scatter, 3, 5), OperandRole::kValue);
  const OpInfo* slice = LookUpOp("stablehlo.dynamic_slice");
  ASSERT_NE(slice, nullptr);
  EXPECT_EQ(RoleOf(*slice, 2, 3), OperandRole::kIndex);
}

TEST(OpInfo, KnowsWhatCommutes) {
  EXPECT_TRUE(LookUpOp("stablehlo.add")->commutative);
  EXPECT_FALSE(LookUpOp("stablehlo.subtract")->commutative);
}

TEST(OpInfo, KnowsNoOpsOfOthers) { EXPECT_EQ(LookUpOp("arith.addi"), nullptr); }

}  // namespace
}  // namespace opbyop
