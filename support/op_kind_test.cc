// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/op_kind.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(OpKindTest, EveryKindHasAWordOfItsOwn) {
  for (int i = 0; i <= static_cast<int>(OpKind::kCheck); ++i) {
    EXPECT_EQ(ParseOpKind(ToString(static_cast<OpKind>(i))), static_cast<OpKind>(i)) << i;
  }
}

TEST(OpKindTest, AnUnknownWordIsNoKind) { EXPECT_EQ(ParseOpKind("Eltwise unary"), std::nullopt); }

}  // namespace
}  // namespace opbyop
