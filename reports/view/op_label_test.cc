// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/op_label.h"

#include <gtest/gtest.h>

namespace opbyop::reports {
namespace {

TEST(OpLabelTest, EveryKindIsNamed) {
  for (int i = 1; i <= static_cast<int>(OpKind::kCheck); ++i) {
    EXPECT_NE(KindLabel(static_cast<OpKind>(i)), "Other") << ToString(static_cast<OpKind>(i));
  }
  EXPECT_EQ(KindLabel(OpKind::kElementwiseUnary), "Eltwise unary");
  EXPECT_EQ(KindLabel(OpKind::kBroadcast), "Data movement");
  EXPECT_EQ(KindLabel(OpKind::kOther), "Other");
}

TEST(OpLabelTest, LabelNamesTheCallTarget) {
  EXPECT_EQ(OpLabel({.op = "stablehlo.add"}), "stablehlo.add");
  EXPECT_EQ(OpLabel({.op = "stablehlo.composite", .target = "x.gelu"}), "stablehlo.composite @x.gelu");
}

}  // namespace
}  // namespace opbyop::reports
