// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/wire_bytes.h"

#include <gtest/gtest.h>

namespace opbyop::chained {
namespace {

TEST(WireBytesTest, ASumGoesAroundTheRingTwice) { EXPECT_EQ(WireBytes("all-reduce", 1024, 4), 1536); }

TEST(WireBytesTest, ADeviceHasItsOwnPartOfAnAllGather) { EXPECT_EQ(WireBytes("all-gather", 1024, 4), 768); }

TEST(WireBytesTest, APartOfASumComesFromEachOther) { EXPECT_EQ(WireBytes("reduce-scatter", 256, 4), 768); }

TEST(WireBytesTest, APermuteReceivesItsWholeResult) { EXPECT_EQ(WireBytes("collective-permute-start", 64, 8), 64); }

TEST(WireBytesTest, NothingMovesInAGroupOfOneOrInAnotherOp) {
  EXPECT_EQ(WireBytes("all-reduce", 1024, 1), 0);
  EXPECT_EQ(WireBytes("fusion", 1024, 8), 0);
  EXPECT_EQ(WireBytes("all-reduce-done", 1024, 8), 0) << "its start was counted";
}

TEST(GroupSizeTest, EachFormOfGroupsIsRead) {
  EXPECT_EQ(GroupSize(", replica_groups={{0,1,2,3},{4,5,6,7}}, to_apply=%add", 8), 4);
  EXPECT_EQ(GroupSize(", replica_groups=[4,2]<=[8], to_apply=%add", 8), 2);
  EXPECT_EQ(GroupSize(", replica_groups=[2,4]<=[4,2]T(1,0)", 8), 4);
  EXPECT_EQ(GroupSize(", replica_groups={}, dimensions={0}", 8), 8);
  EXPECT_EQ(GroupSize(", replica_groups=mesh['axis_0'=2,'axis_1'=4] {'axis_1'}, x", 8), 4);
  EXPECT_EQ(GroupSize(", replica_groups=mesh['x'=2,'y'=4] {'x', 'y'}", 8), 8);
  EXPECT_EQ(GroupSize(", source_target_pairs={{0,1},{1,0}}", 8), 8);
}

TEST(GroupSizeTest, AFormThatIsNotKnownHasNoSize) {
  for (const char* text : {"", ", replica_groups=", ", replica_groups=[", ", replica_groups=mesh['x'=2] {'y'}",
                           ", replica_groups=mesh['y'=4] {'y':(1)2}", ", replica_groups=mesh['y", ", replica_groups=?"})
    EXPECT_EQ(GroupSize(text, 8), 0) << text;
}

}  // namespace
}  // namespace opbyop::chained
