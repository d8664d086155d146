// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/sharding/sharding_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace opbyop {
namespace {

using testing::HasSubstr;

const Axes kX = {{.stride = 4, .size = 2}};
const Axes kY = {{.stride = 1, .size = 4}};

Sharding Read(std::string_view text) {
  const Expected<Sharding> sharding = ParseSharding(text, 2);
  EXPECT_TRUE(sharding) << sharding.error().message;
  return sharding.value_or(Sharding());
}

TEST(ShardingText, AManualOrUnknownShardingSaysNothing) {
  EXPECT_TRUE(Read("{manual}").empty());
  EXPECT_TRUE(Read("{unknown}").empty());
}

TEST(ShardingText, WhatIsNotUnderstoodIsAnErrorAndNotNoSharding) {
  for (const std::string_view text :
       {" ", "{foo}", "devices=[2,4]<=[8]", "{devices=[2,3]<=[8]}", "{devices=[8]<=[8]}", "{devices=[2,4]<=[8]T(0,1)}",
        "{devices=[2,4]<=[2,4]T(0,0)}", "{devices=[0,4]<=[8]}", "{devices=[2,4]<=[0]}", "{devices=[2,4]<=[]}",
        "{devices=[2,2]3,1,2,0}", "{devices=[2,4]<=[8] metadata={a}}", "{devices=[2,4]7,6,5,4,3,2,1,0}",
        "{devices=[4,4]<=[9223372036854775807,9223372036854775807]}", "{devices=[2,4]<=[99999999999999999999]}",
        "{devices=[2,1,4]<=[8] last_tile_dims={manual}}", "{mesh['x'=2,'y'=4], [{'x'}, {'y'}]}"}) {
    const Expected<Sharding> sharding = ParseSharding(text, 2);
    ASSERT_FALSE(sharding) << text;
    EXPECT_EQ(sharding.error().code, ExitCode::kUnsupported);
    EXPECT_THAT(sharding.error().message, HasSubstr("is not understood"));
  }
}

TEST(ShardingText, ASerializedMessageIsShownWithoutItsControlCharacters) {
  const Expected<Sharding> sharding = ParseSharding("\b\x03\x1a\xff", 1);
  ASSERT_FALSE(sharding);
  EXPECT_EQ(sharding.error().message.find_first_of("\b\x03\x1a"), std::string::npos);
}

TEST(Axis, OverlapsIfADigitIsShared) {
  EXPECT_TRUE(Overlap(Axes{{1, 8}}, kX));
  EXPECT_TRUE(Overlap(Axes{{2, 2}}, kY));
  EXPECT_FALSE(Overlap(kX, kY));
  EXPECT_FALSE(Overlap(Axes(), kY));
  EXPECT_EQ(PartsOf(Axes{{1, 4}, {4, 2}}), 8);
}

TEST(ShardingText, EachDivisionHasOneTextThatIsReadBack) {
  struct Pair {
    Division division;
    std::string text;
  };
  for (const auto& [division, text] :
       {Pair{{{}, {}}, "{replicated}"}, Pair{{kX, kY}, "{devices=[2,4]<=[8]}"},
        Pair{{kY, kX}, "{devices=[4,2]<=[2,4]T(1,0)}"}, Pair{{Axes{{1, 8}}, {}}, "{devices=[8,1]<=[8]}"},
        Pair{{Axes{{1, 4}, {4, 2}}, {}}, "{devices=[8,1]<=[2,4]T(1,0)}"},
        Pair{{{}, kY}, "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"},
        Pair{{kX, {}}, "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"},
        Pair{{Axes{{2, 2}}, Axes{{1, 2}}}, "{devices=[2,2,2]<=[2,4]T(1,0) last_tile_dim_replicate}"},
        Pair{{Axes{{1, 2}}, Axes{{4, 2}}}, "{devices=[2,2,2]<=[4,2]T(1,0) last_tile_dim_replicate}"}}) {
    EXPECT_EQ(ToText(division, 8), text);
    const Expected<Division> read = ParseDivision(text, 2, 8);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, division) << text;
  }
}

TEST(ShardingText, AnotherSpellingIsNotTheCanonicalOne) {
  for (const std::string_view text : {"{devices=[2,4]0,1,2,3,4,5,6,7}", "{devices=[2,4]<=[2,4]}", "", "{manual}",
                                      "{devices=[2,2]<=[4]}", "{devices=[2,1,4]<=[8] last_tile_dims={replicated}}"}) {
    const Expected<Division> read = ParseDivision(text, 2, 8);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ExitCode::kBadInput);
  }
}

TEST(Axis, GroupsHaveTheDevicesThatDifferAlongIt) {
  using Groups = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(GroupsAlong(kX, 8), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(GroupsAlong(kY, 8), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(GroupsAlong(Axes{{1, 2}, {4, 2}}, 8), (Groups{{0, 4, 1, 5}, {2, 6, 3, 7}}));
  EXPECT_EQ(PartOf(Axes{{1, 2}, {4, 2}}, 5), 3);
}

}  // namespace
}  // namespace opbyop
