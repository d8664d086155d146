// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

TEST(OpInfo, AppliesVariadicRolesToAllTheirOperands) {
  const OpInfo* scatter = LookUpOp("stablehlo.scatter");
  ASSERT_NE(scatter, nullptr);
  EXPECT_EQ(RoleOf(*scatter, 1, 5), OperandRole::kValue);
  EXPECT_EQ(RoleOf(*scatter, 2, 5), OperandRole::kIndex);
  EXPECT_EQ(RoleOf(*scatter, 3, 5), OperandRole::kValue);
  const OpInfo* slice = LookUpOp("stablehlo.dynamic_slice");
  ASSERT_NE(slice, nullptr);
  EXPECT_EQ(RoleOf(*slice, 2, 3), OperandRole::kIndex);
}

TEST(OpInfo, KnowsCommutativeOps) {
  EXPECT_TRUE(LookUpOp("stablehlo.add")->commutative);
  EXPECT_FALSE(LookUpOp("stablehlo.subtract")->commutative);
}

TEST(OpInfo, EveryOpHasAKind) {
  for (const OpInfo& info : AllOps()) {
    EXPECT_NE(info.kind, OpKind::kOther) << info.name.str() << ": let infoKind = ... in its record (ir/op_info.td)";
  }
}

TEST(OpInfo, KindsMatchTheRecords) {
  EXPECT_EQ(KindOf("stablehlo.tanh"), OpKind::kElementwiseUnary);
  EXPECT_EQ(KindOf("stablehlo.clamp"), OpKind::kElementwiseTernary);
  EXPECT_EQ(KindOf("stablehlo.uniform_quantize"), OpKind::kElementwiseUnary);
  EXPECT_EQ(KindOf("stablehlo.dot_general"), OpKind::kMatmul);
  EXPECT_EQ(KindOf("stablehlo.cross-replica-sum"), OpKind::kCollective);
  EXPECT_EQ(KindOf("stablehlo.collective_reduce"), OpKind::kCollective);
  EXPECT_EQ(KindOf("chlo.broadcast_add"), OpKind::kElementwiseBinary);
  EXPECT_EQ(KindOf("chlo.mulhi"), OpKind::kElementwiseBinary);
  EXPECT_EQ(KindOf("chlo.scan"), OpKind::kReduction);
  EXPECT_EQ(KindOf("sdy.all_slice"), OpKind::kCollective);
}

TEST(OpInfo, OpsOfTtirAndTtnnHaveKindsUnderTheirOwnNames) {
  EXPECT_EQ(KindOf("ttir.neg"), OpKind::kElementwiseUnary);
  EXPECT_EQ(KindOf("ttnn.gt"), OpKind::kElementwiseBinary);
  EXPECT_EQ(KindOf("ttir.where"), OpKind::kElementwiseTernary);
  EXPECT_EQ(KindOf("ttnn.matmul"), OpKind::kMatmul);
  EXPECT_EQ(KindOf("ttnn.conv2d"), OpKind::kConvolution);
  EXPECT_EQ(KindOf("ttir.sum"), OpKind::kReduction);
  EXPECT_EQ(KindOf("ttnn.permute"), OpKind::kDataMovement);
  EXPECT_EQ(KindOf("ttnn.softmax"), OpKind::kNormalization);
  EXPECT_EQ(KindOf("ttnn.all_gather"), OpKind::kCollective);
  EXPECT_EQ(KindOf("ttir.frobnicate"), OpKind::kOther);
  EXPECT_EQ(KindOf("vendor.neg"), OpKind::kOther);
}

TEST(OpInfo, AnOpOfAnotherDialectHasTheKindOfTheOpWithItsName) {
  EXPECT_EQ(KindOf("tosa.add"), OpKind::kElementwiseBinary);
  EXPECT_EQ(KindOf("ttir.erf"), OpKind::kElementwiseUnary);
  EXPECT_EQ(KindOf("ttir.mystery"), OpKind::kOther);
  EXPECT_EQ(KindOf(""), OpKind::kOther);
}

TEST(OpInfo, KnowsOpsThatTakeQuantizedElementsInStoredForm) {
  EXPECT_TRUE(LookUpOp("stablehlo.transpose")->takes_stored);
  EXPECT_TRUE(LookUpOp("stablehlo.reduce_window")->takes_stored);
  EXPECT_FALSE(LookUpOp("stablehlo.add")->takes_stored);
  EXPECT_FALSE(LookUpOp("stablehlo.dynamic_conv")->takes_stored);
}

TEST(OpInfo, DoesNotKnowOpsOfOtherDialects) { EXPECT_EQ(LookUpOp("arith.addi"), nullptr); }

}  // namespace
}  // namespace opbyop
