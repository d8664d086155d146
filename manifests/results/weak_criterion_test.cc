// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/results/weak_criterion.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(WeakCriterionTest, NarrowerTypesHaveLargerTolerances) {
  EXPECT_EQ(WeakCriterionOf("f64")->share, 1e-3);
  EXPECT_EQ(WeakCriterionOf("f32")->share, 1e-3);
  EXPECT_EQ(WeakCriterionOf("f16")->share, 0.02);
  EXPECT_EQ(WeakCriterionOf("bf16")->share, 0.05);
}

TEST(WeakCriterionTest, OtherTypesHaveNone) {
  for (const char* dtype : {"i32", "i1", "c64", "f8E4M3FN"}) EXPECT_FALSE(WeakCriterionOf(dtype)) << dtype;
}

}  // namespace
}  // namespace opbyop
