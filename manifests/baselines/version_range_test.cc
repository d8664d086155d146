// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/baselines/version_range.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

bool Contains(std::string_view range, std::string_view version) {
  const Expected<VersionRange> parsed = VersionRange::Parse(range);
  EXPECT_TRUE(parsed) << range;
  return parsed && parsed->Contains(VersionIn(version));
}

TEST(VersionRangeTest, TheVersionIsTheFirstNumberWithADot) {
  EXPECT_EQ(VersionIn("jaxlib 0.10.2, jax 0.11.0"), (Version{0, 10, 2}));
  EXPECT_EQ(VersionIn("2 devices, libtpu v0.0.42 (2026)"), (Version{0, 0, 42}));
  EXPECT_EQ(VersionIn("cuda12.9 of 1.5"), (Version{1, 5}));
  EXPECT_EQ(VersionIn("iree-3.13.0rc1"), (Version{3, 13, 0}));
  EXPECT_EQ(VersionIn("built on 20261127"), Version());
  EXPECT_EQ(VersionIn(""), Version());
}

TEST(VersionRangeTest, PartsAreComparedAsNumbers) {
  EXPECT_TRUE(Contains(">=0.9", "jaxlib 0.12.0"));
  EXPECT_FALSE(Contains("<0.9", "jaxlib 0.12.0"));
  EXPECT_TRUE(Contains("==0.12", "jaxlib 0.12.0.0"));
}

TEST(VersionRangeTest, EveryComparisonMustHold) {
  EXPECT_TRUE(Contains(">=0.12, <0.14", "0.13.9"));
  EXPECT_FALSE(Contains(">=0.12, <0.14", "0.14"));
  EXPECT_FALSE(Contains(">0.12", "0.12"));
  EXPECT_TRUE(Contains("<=0.12", "0.12"));
}

TEST(VersionRangeTest, NoVersionIsInNoRange) { EXPECT_FALSE(Contains(">=0.0", "a build of today")); }

TEST(VersionRangeTest, ATextThatIsNoRangeIsAnError) {
  for (const char* text : {"", "0.12", "=0.12", ">=", ">=0.12,", ">=0.12rc1", "~=0.12", ">=99999999999999999999.1"}) {
    const Expected<VersionRange> range = VersionRange::Parse(text);
    ASSERT_FALSE(range) << text;
    EXPECT_EQ(range.error().code, ExitCode::kBadInput);
  }
}

}  // namespace
}  // namespace opbyop
