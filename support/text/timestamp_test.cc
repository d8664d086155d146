// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/timestamp.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

std::string Again(std::string_view text) {
  const auto time = ParseTimestamp(text);
  return time ? FormatTimestamp(*time) : "refused";
}

TEST(TimestampTest, ReadsAnyRfc3339AndWritesOneForm) {
  EXPECT_EQ(Again("2026-11-21T10:15:00Z"), "2026-11-21T10:15:00.000000+00:00");
  EXPECT_EQ(Again("2026-11-21T10:15:00.5+00:00"), "2026-11-21T10:15:00.500000+00:00");
  EXPECT_EQ(Again("2026-11-21T10:15:00.123456789Z"), "2026-11-21T10:15:00.123456+00:00");
  EXPECT_EQ(Again("2026-03-01T00:30:00+01:00"), "2026-02-28T23:30:00.000000+00:00");
  EXPECT_EQ(Again("1969-12-31T23:59:59Z"), "1969-12-31T23:59:59.000000+00:00");
}

TEST(TimestampTest, RefusesTextThatIsNoTimestamp) {
  for (const char* text : {"", "now", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-21",
                           "2026-11-21T25:00:00Z", "2026-11-21T10:15:00+1", "2026-11-21T10:15:00Zx"}) {
    EXPECT_EQ(ParseTimestamp(text), std::nullopt) << text;
  }
}

TEST(TimestampTest, CompactFormIsPartOfAName) {
  EXPECT_EQ(FormatCompactTimestamp(*ParseTimestamp("2026-11-21T10:15:00.9Z")), "20261121T101500Z");
}

TEST(TimestampTest, NowIsReadInMicroseconds) {
  constexpr int64_t kYear2020 = 1'577'836'800'000'000, kYear2200 = 7'258'118'400'000'000;
  EXPECT_GT(NowMicroseconds(), kYear2020);
  EXPECT_LT(NowMicroseconds(), kYear2200);
}

TEST(TimestampTest, DurationIsIso8601) {
  EXPECT_EQ(FormatDuration(1250), "PT1.25S");
  EXPECT_EQ(FormatDuration(0), "PT0S");
  EXPECT_EQ(FormatDuration(2000), "PT2S");
}

}  // namespace
}  // namespace opbyop
