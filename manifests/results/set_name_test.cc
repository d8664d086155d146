// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/results/set_name.h"

#include <gtest/gtest.h>

#include "support/text/timestamp.h"

namespace opbyop {
namespace {

TEST(SetNameTest, TheNameOfASetHasItsPolicyAndSeed) {
  EXPECT_EQ(FreshSetName("edge", 20261126), "edge#seed20261126");
  EXPECT_EQ(FreshSeedOf("edge#seed20261126"), 20261126u);
  for (const char* set : {"edge#seed7", "edge#2", "edge"}) EXPECT_EQ(PolicyOfSet(set), "edge");
}

TEST(SetNameTest, ASetOfTheFixedSeedHasNoFreshSeed) {
  for (const char* set : {"edge", "edge#2", "edge#seed", "edge#seedx", "edge#seed0", "edge#seed7x"}) {
    EXPECT_FALSE(FreshSeedOf(set)) << set;
  }
}

TEST(SetNameTest, TheSeedOfADayIsItsDateInUtc) {
  EXPECT_EQ(FreshSeedOfDay(*ParseTimestamp("2026-11-26T23:59:59Z")), 20261126u);
  EXPECT_EQ(FreshSeedOfDay(*ParseTimestamp("2026-11-27T00:30:00+01:00")), 20261126u);
}

TEST(SetNameTest, ASeedIsANumberThatJsonKeepsOrNone) {
  std::optional<uint64_t> seed = 1;
  EXPECT_TRUE(ParseFreshSeed("none", seed));
  EXPECT_FALSE(seed);
  EXPECT_TRUE(ParseFreshSeed("9007199254740991", seed));
  EXPECT_EQ(seed, kMostFreshSeed);
  for (const char* text : {"", "0", "-1", "9007199254740992", "1e3", " 1", "today"}) {
    EXPECT_FALSE(ParseFreshSeed(text, seed)) << text;
  }
  EXPECT_EQ(FreshSeedText(seed), "9007199254740991");
  EXPECT_EQ(FreshSeedText(std::nullopt), "none");
}

}  // namespace
}  // namespace opbyop
