// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/fnv.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(FnvTest, HashesAsPublished) {
  EXPECT_EQ(Fnv1a(""), 0xCBF29CE484222325);
  EXPECT_EQ(Fnv1a("a"), 0xAF63DC4C8601EC8C);
  EXPECT_EQ(Fnv1a("foobar"), 0x85944171F73967E8);
}

}  // namespace
}  // namespace opbyop
