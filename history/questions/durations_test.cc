// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/questions/durations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "history/import/test_history.h"
#include "manifests/results/result.h"
#include "manifests/results/results_file.h"
#include "support/files/file.h"

namespace opbyop::history {
namespace {

Night TakingMs(int day, double tanh_ms) {
  Night night(day);
  night.RecordOf(kTanh).wall_ms = tanh_ms;
  night.RecordOf(kAdd).wall_ms = 7;
  night.RecordOf(kFft).wall_ms = 0;  // not measured
  return night;
}

std::map<std::string, double> Durations(TestHistory& history, const std::string& target = "host") {
  const Expected<std::string> text = DurationsText(history.db(), target, "isolated");
  EXPECT_TRUE(text) << text.error().message;
  const TestFolder folder;
  EXPECT_TRUE(WriteFile(folder.path() / "balance.jsonl", *text));
  const Expected<Run> run = LoadRun(folder.path() / "balance.jsonl");
  EXPECT_TRUE(run) << run.error().message;
  std::map<std::string, double> ms;
  for (const CaseRecord& record : run->cases) ms[record.id] = record.wall_ms;
  return ms;
}

TEST(DurationsTest, TheMedianOfTheRunsCounts) {
  TestHistory history;
  for (const auto& [day, ms] : std::map<int, double>{{1, 10}, {2, 900}, {3, 11}}) history.Import(TakingMs(day, ms));
  EXPECT_EQ(Durations(history), (std::map<std::string, double>{{kTanh, 11}, {kAdd, 7}}));
}

TEST(DurationsTest, OldRunsDoNotCount) {
  TestHistory history;
  for (int day = 1; day <= 11; ++day) history.Import(TakingMs(day, 500));
  for (int day = 12; day <= 21; ++day) history.Import(TakingMs(day, 5));
  EXPECT_EQ(Durations(history)[kTanh], 5);
}

TEST(DurationsTest, AHistoryWithoutRunsOfTheTargetSaysSo) {
  TestHistory history;
  history.Import(TakingMs(1, 10));
  const Expected<std::string> text = DurationsText(history.db(), "iree", "isolated");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ExitCode::kNoInput);
  EXPECT_THAT(text.error().message, testing::HasSubstr("no run of iree (isolated)"));
}

}  // namespace
}  // namespace opbyop::history
