#include "reports/op_kind.h"

#include <gtest/gtest.h>

namespace opbyop::reports {
namespace {

TEST(OpKindTest, KnowsStablehloAndChlo) {
  EXPECT_EQ(OpKind("stablehlo.tanh"), "Eltwise unary");
  EXPECT_EQ(OpKind("chlo.erf"), "Eltwise unary");
  EXPECT_EQ(OpKind("stablehlo.dot_general"), "Matmul");
  EXPECT_EQ(OpKind("stablehlo.cross-replica-sum"), "Collective");
}

TEST(OpKindTest, UnknownOpIsOther) {
  EXPECT_EQ(OpKind("ttir.mystery"), "Other");
  EXPECT_EQ(OpKind(""), "Other");
}

TEST(OpKindTest, LabelNamesWhatIsCalled) {
  EXPECT_EQ(OpLabel({.op = "stablehlo.add"}), "stablehlo.add");
  EXPECT_EQ(OpLabel({.op = "stablehlo.composite", .target = "x.gelu"}), "stablehlo.composite @x.gelu");
}

}  // namespace
}  // namespace opbyop::reports
