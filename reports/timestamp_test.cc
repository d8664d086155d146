#include "reports/timestamp.h"

#include <gtest/gtest.h>

#include <set>

#include "reports/example_run.h"

namespace opbyop::reports {
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

TEST(TimestampTest, RefusesWhatIsNone) {
  for (const char* text : {"", "now", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-21",
                           "2026-11-21T25:00:00Z", "2026-11-21T10:15:00+1", "2026-11-21T10:15:00Zx"}) {
    EXPECT_EQ(ParseTimestamp(text), std::nullopt) << text;
  }
}

TEST(TimestampTest, DurationIsIso8601) {
  EXPECT_EQ(FormatDuration(1250), "PT1.25S");
  EXPECT_EQ(FormatDuration(0), "PT0S");
  EXPECT_EQ(FormatDuration(2000), "PT2S");
}

TEST(TimestampTest, RowsThatShareAnExecutionAreToldApart) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert", "nn"});
  example.AddCase("add_2", "stablehlo.add", {"bert"});
  example.AddCase("add_3", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kPass).start = "2026-11-21T10:15:00.000001Z";
  example.AddRecord("add_2", Status::kPass).start = "2026-11-21T10:15:00.000002Z";
  const View view = example.MakeView();
  const std::vector<int64_t> starts = UniqueStarts(view);
  EXPECT_EQ(std::set<int64_t>(starts.begin(), starts.end()).size(), 4u);
  EXPECT_EQ(starts[0], *ParseTimestamp("2026-11-21T10:15:00.000001Z"));
  EXPECT_EQ(starts[1], *ParseTimestamp("2026-11-21T10:15:00.000003Z"));
  EXPECT_EQ(starts[2], *ParseTimestamp("2026-11-21T10:15:00.000002Z")) << "a row of its own keeps its start";
}

}  // namespace
}  // namespace opbyop::reports
