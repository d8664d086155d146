// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/import/run_summaries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "history/database/migrations.h"
#include "history/import/retention.h"
#include "history/import/test_history.h"

namespace opbyop::history {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

constexpr std::array kTables = {"run_op_stages", "run_slowest", "run_op_types"};

// All lines of the three tables as texts. Times have six digits, because sums depend on the order of their terms.
std::vector<std::string> Lines(TestHistory& history) {
  std::vector<std::string> lines;
  for (const auto& [table, numbers, real] : std::initializer_list<std::tuple<const char*, const char*, const char*>>{
           {"run_op_stages", "op, stage_id, status_id, cases", "ms"},
           {"run_slowest", "stage_id, place, case_id, us", "coalesce(part, -1)"},
           {"run_op_types", "op, dtype, status_id, rows_count", "ops"}}) {
    const Expected<void> done =
        history.db().Query(fmt::format("SELECT run_id, {}, {} FROM {} ORDER BY 1, 2, 3, 4, 5", numbers, real, table),
                           {}, [&, table = table](const Record& r) {
                             lines.push_back(fmt::format("{} {} {} {} {} {:.6g} {:.6g}", table, r.Integer(0), r.Text(1),
                                                         r.Text(2), r.Text(3), r.Real(4), r.Real(5)));
                           });
    EXPECT_TRUE(done) << done.error().message;
  }
  return lines;
}

Night Mixed(int day) {
  Night night(day);
  night.RecordOf(kTanh).timing.median_us = 300;
  night.RecordOf(kAdd).stages.front().ms = 7;
  night.End(kFft, Status::kUnsupported, "lower", "no kernel");
  return night;
}

TEST(RunSummariesTest, AnEarlierHistoryGetsTheSummariesThatAnImportWrites) {
  TestHistory history;
  history.Import(Night(1));
  history.Import(Mixed(2));
  const std::vector<std::string> written = Lines(history);
  EXPECT_THAT(written, Not(IsEmpty()));
  for (const char* table : kTables) ASSERT_TRUE(history.db().Query(fmt::format("DELETE FROM {}", table), {}));
  const std::string script(Migrations()[2].script);
  ASSERT_TRUE(history.db().Run(script.substr(script.find("-- Fills the tables for the runs that exist."))));
  EXPECT_EQ(Lines(history), written);
}

TEST(RunSummariesTest, ARunThatIsReplacedHasThemOnce) {
  TestHistory history;
  history.Import(Night(1));
  const std::vector<std::string> once = Lines(history);
  history.Import(Night(1), "another");
  EXPECT_EQ(Lines(history), once);
}

TEST(RunSummariesTest, SummariesAreRemovedWithTheirResults) {
  TestHistory history;
  for (int day = 1; day <= 3; ++day) history.Import(Mixed(day));
  ASSERT_TRUE(Prune(history.db(), {.keep = 1, .keep_details = 1}));
  for (const char* table : kTables) {
    EXPECT_EQ(history.Count(fmt::format("(SELECT DISTINCT run_id FROM {}) kept", table)), 1) << table;
  }
}

TEST(RunSummariesTest, TheSlowestOfAStageComeFirstWithTheirShare) {
  TestHistory history;
  history.Import(Mixed(1));
  const std::vector<std::string> slowest = history.Ask("slowest", {"case", "stage", "time", "of the stage"});
  EXPECT_THAT(slowest, testing::Contains("add_4_f32_00000002 parse 7 ms 77.8 %"));
  EXPECT_THAT(slowest, testing::Contains("tanh_4_f32_00000001 device 0.3 ms 75.0 %"));
}

TEST(RunSummariesTest, AFirstCallIsNoTimeOfTheProgram) {
  TestHistory history;
  Night night(1);
  night.RecordOf(kTanh).timing = {1, 2e6, 2e6, 2e6, false, true};
  history.Import(night);
  const std::vector<std::string> slowest = history.Ask("slowest", {"case", "stage", "time"});
  EXPECT_THAT(slowest, testing::Contains("tanh_4_f32_00000001 first call 2.000 s"));
  EXPECT_THAT(slowest, Not(testing::Contains(testing::HasSubstr("tanh_4_f32_00000001 device"))));
  EXPECT_EQ(history.Count("timings WHERE n = 0 AND median_us IS NULL"), 1);
}

TEST(RunSummariesTest, TypesCountRows) {
  TestHistory history;
  history.Import(Mixed(1));
  EXPECT_THAT(history.Ask("types", {"op", "rows", "pass", "block"}),
              ElementsAre("stablehlo.fft 1 0 1", "stablehlo.add 2 2 0", "stablehlo.tanh 1 1 0"));
}

}  // namespace
}  // namespace opbyop::history
