// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/import/importer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "history/difference/stored_snapshot.h"
#include "history/import/test_history.h"
#include "reports/view/sample_run.h"
#include "support/files/file.h"

namespace opbyop::history {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

TEST(ImporterTest, ARunHasItsRowsStagesComparisonsAndTimes) {
  TestHistory history;
  const ImportReport report = history.Import(Night(1));
  EXPECT_EQ(report.outcome, ImportOutcome::kImported);
  EXPECT_EQ(report.series, "host");
  EXPECT_EQ(report.rows, 4);
  EXPECT_EQ(history.Count("runs"), 1);
  EXPECT_EQ(history.Count("models"), 2);
  EXPECT_EQ(history.Count("cases"), 3);
  EXPECT_EQ(history.Count("origins"), 4);
  EXPECT_EQ(history.Count("results"), 4);
  EXPECT_EQ(history.Count("stages"), 15);
  EXPECT_EQ(history.Count("comparisons"), 3);
  EXPECT_EQ(history.Count("timings WHERE n = 10 AND median_us = 100 AND compile_ms = 2"), 3);
  EXPECT_EQ(history.Count("run_results WHERE status = 'pass' AND bound_ratio = 0.2 AND ops = 2"), 4);
}

TEST(ImporterTest, ARunIsThereOnce) {
  TestHistory history;
  const Night night(1);
  history.Import(night);
  reports::SampleRun sample = reports::MakeSampleRun({.cases = 40});
  TestFolder folder;
  ASSERT_TRUE(reports::WriteSampleRun(sample, folder.path()));
  Importer importer(history.db(), {});
  EXPECT_EQ(importer.Import(folder.path())->outcome, ImportOutcome::kImported);
  const int64_t results = history.Count("results");
  EXPECT_EQ(importer.Import(folder.path())->outcome, ImportOutcome::kUnchanged);
  EXPECT_EQ(Importer(history.db(), {}).Import(folder.path() / "results.jsonl")->outcome, ImportOutcome::kUnchanged);
  EXPECT_EQ(history.Count("results"), results);
  EXPECT_EQ(history.Count("runs"), 2);
}

// The runs of a sample, each in its own folder.
std::vector<std::filesystem::path> WriteRuns(const TestFolder& folder, const std::vector<std::string>& names) {
  std::vector<std::filesystem::path> runs;
  for (const std::string& name : names) {
    reports::SampleRun sample = reports::MakeSampleRun({.cases = 40});
    sample.run.header.run_id = name;
    runs.push_back(folder.path() / name);
    EXPECT_TRUE(reports::WriteSampleRun(sample, runs.back()));
  }
  return runs;
}

TEST(ImporterTest, RunsAreImportedInTheirOrderAndOneThatIsNamedTwiceOnce) {
  TestHistory history;
  TestFolder folder;
  std::vector<std::filesystem::path> runs = WriteRuns(folder, {"a", "b", "c"});
  runs.insert(runs.begin() + 1, runs.front());
  std::vector<std::string> reported;
  const auto done = Importer(history.db(), {}).ImportEach(runs, [&](const ImportReport& report) {
    reported.push_back(report.run_id + (report.outcome == ImportOutcome::kImported ? " imported" : " is there"));
  });
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(reported, ElementsAre("a imported", "a is there", "b imported", "c imported"));
  EXPECT_EQ(history.Count("runs"), 3);
}

TEST(ImporterTest, RunsBeforeOneThatCannotBeReadStay) {
  TestHistory history;
  TestFolder folder;
  const std::vector<std::filesystem::path> runs = WriteRuns(folder, {"a", "b", "c"});
  ASSERT_TRUE(WriteFile(runs[1] / "results.jsonl", "no JSON\n"));
  std::vector<std::string> reported;
  const auto done = Importer(history.db(), {}).ImportEach(runs, [&](const ImportReport& report) {
    reported.push_back(report.run_id);
  });
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("b/results.jsonl:1: no header"));
  EXPECT_THAT(reported, ElementsAre("a"));
  EXPECT_EQ(history.Count("runs"), 1);
}

TEST(ImporterTest, AResumedRunReplacesItsEarlierVersion) {
  TestHistory history;
  Night cut(1);
  cut.run.complete = false;
  std::erase_if(cut.run.cases, [](const CaseRecord& record) { return record.id == kFft; });
  history.Import(cut, "cut");
  EXPECT_EQ(history.Count("run_results WHERE status = 'missing'"), 1);
  const ImportReport report = history.Import(Night(1), "whole");
  EXPECT_EQ(report.outcome, ImportOutcome::kReplaced);
  EXPECT_EQ(history.Count("run_results WHERE status = 'missing'"), 0);
  EXPECT_EQ(history.Count("results"), 4);
  EXPECT_EQ(history.Count("runs WHERE complete = 1"), 1);
}

TEST(ImporterTest, AnUncommittedImportLeavesNothing) {
  TestHistory history;
  history.Import(Night(1));
  const int64_t cases = history.Count("cases");
  {
    Expected<Transaction> transaction = Transaction::Begin(history.db());
    ASSERT_TRUE(transaction);
    ASSERT_TRUE(history.db().Query("DELETE FROM results", {}));
    ASSERT_TRUE(history.db().Query("DELETE FROM cases", {}));
  }
  EXPECT_EQ(history.Count("cases"), cases);
  EXPECT_EQ(history.Count("results"), 4);
}

TEST(ImporterTest, AnImportThatFailsHalfWayLeavesNothing) {
  TestHistory history;
  history.Import(Night(1));
  const Night night(2);
  const reports::View view = night.MakeView();
  const RunDetails details = DetailsOf(view);
  Importer importer(history.db(), {});
  // Its rows are written before the times of the newest run.
  ASSERT_TRUE(history.db().Run("ALTER TABLE last_timings RENAME TO hidden"));
  EXPECT_THAT(importer.ImportView(view, details, "x", "y").error().message, HasSubstr("last_timings"));
  ASSERT_TRUE(history.db().Run("ALTER TABLE hidden RENAME TO last_timings"));
  EXPECT_EQ(history.Count("runs"), 1);
  EXPECT_EQ(history.Count("results"), 4);
  EXPECT_EQ(history.Count("stages"), 15);
  // The same importer continues with what the history has.
  EXPECT_TRUE(importer.ImportView(view, details, "x", "y"));
  EXPECT_EQ(history.Count("results"), 8);
}

TEST(ImporterTest, TheLastRecordOfACaseThatWasRunAgainCounts) {
  TestHistory history;
  reports::SampleRun sample = reports::MakeSampleRun({.cases = 3});
  TestFolder folder;
  ASSERT_TRUE(reports::WriteSampleRun(sample, folder.path()));
  const std::string results = *ReadFile(folder.path() / "results.jsonl");
  CaseRecord again = sample.run.cases.front();
  again.stages = {{"parse", Status::kPass, 4711, ""}};
  again.wall_ms = 4711;
  std::ofstream(folder.path() / "results.jsonl", std::ios::app) << ToJsonLine(again) << "\n";
  ASSERT_TRUE(Importer(history.db(), {}).Import(folder.path()));
  EXPECT_EQ(history.Count("timings"), 3);
  EXPECT_EQ(history.Count("timings WHERE wall_ms = 4711 AND compile_ms = 4711"), 1);
  EXPECT_EQ(history.Count("stages WHERE ms = 4711"), 1);
}

TEST(ImporterTest, ARowThatTheBaselineLetsPassOrFailIsNoChange) {
  TestHistory history;
  for (const int day : {1, 2, 3, 4}) {
    Night night(day);
    night.Expect(
        {.op = "stablehlo.tanh", .stage = "execute", .status = Status::kTimeout, .may_pass = true, .reason = "slow"});
    if (day % 2 == 0) night.End(kTanh, Status::kTimeout, "execute", "no answer after 20 s");
    const ImportReport report = history.Import(night);
    EXPECT_EQ(report.changes, 0);
    EXPECT_EQ(report.up_to_machine, day == 1 ? 0 : 1);
  }
  EXPECT_EQ(history.Count("changes"), 0);
  EXPECT_EQ(history.Count("flaky"), 0);
  // The same for snapshots that are loaded from the history.
  const auto a = LoadSnapshot(history.db(), "night-01"), b = LoadSnapshot(history.db(), "night-02");
  ASSERT_TRUE(a && b);
  EXPECT_EQ(Compare(*a, *b, {}, nullptr)->up_to_machine, 1);
}

TEST(ImporterTest, FailuresOfTheFreshDrawAreNoChangeBetweenNights) {
  TestHistory history;
  history.Import(Night(1));
  Night second(2);
  second.End(kTanh, Status::kFail, "compare", "under edge#seed20261102: wrong");
  CaseRecord& record = second.RecordOf(kTanh);
  record.timing = {10, 90, 100, 110};
  record.sets = {{.policy = "edge", .status = Status::kPass}, {.policy = "edge#seed20261102", .status = Status::kFail}};
  record.comparisons = {{.bound_ratio = 0.2, .policy = "edge"}, {.bound_ratio = 9, .policy = "edge#seed20261102"}};
  record.fixed = {Status::kPass, "compare", ""};
  const ImportReport report = history.Import(second);
  EXPECT_EQ(report.rows, 4);
  EXPECT_EQ(history.Count("changes"), 0);
  EXPECT_EQ(history.Count("comparisons WHERE accepted = 0 OR bound_ratio > 1"), 0);
}

TEST(ImporterTest, RunsOutOfTheirOrderMakeTheSameChanges) {
  TestHistory history;
  Night second(2);
  second.End(kFft, Status::kFail, "lower", "no fft");
  Night third(3);
  third.End(kFft, Status::kFail, "lower", "no fft");
  history.Import(Night(1));
  history.Import(third);
  EXPECT_THAT(history.Ask("changes", {"run", "kind", "op"}), ElementsAre("night-03 broke stablehlo.fft"));
  history.Import(second);
  EXPECT_THAT(history.Ask("changes", {"run", "kind", "op"}), ElementsAre("night-02 broke stablehlo.fft"));
}

TEST(ImporterTest, TwoImportersAtOnceShareTheKeys) {
  TestHistory history;
  const auto import = [&](int first) {
    const auto db = OpenDatabase(history.where(), Access::kWrite);
    ASSERT_TRUE(db) << db.error().message;
    Importer importer(**db, {});
    for (int day = first; day <= 12; day += 2) {
      Night night(day);
      night.AddCase(fmt::format("sine_{}_f32_0000000{}", day, first), "stablehlo.sine", {"nn"});
      const reports::View view = night.MakeView();
      const auto done = importer.ImportView(view, DetailsOf(view), std::to_string(day), "");
      ASSERT_TRUE(done) << done.error().message;
    }
  };
  std::thread odd(import, 1), even(import, 2);
  odd.join();
  even.join();
  EXPECT_EQ(history.Count("runs"), 12);
  EXPECT_EQ(history.Count("cases"), 15);
  EXPECT_EQ(history.Count("results"), 60);
  EXPECT_EQ(history.Count("run_results"), 60) << "every key has its name";
}

TEST(ImporterTest, ARunOfChosenRowsIsComparedWithNone) {
  TestHistory history;
  history.Import(Night(1));
  Night chosen(2);
  chosen.run.header.filter = "--gtest_filter=*tanh*";
  chosen.run.header.selected = "0";
  std::erase_if(chosen.run.cases, [](const CaseRecord& record) { return record.id != kTanh; });
  history.Import(chosen);
  history.Import(Night(3));
  EXPECT_EQ(history.Count("results"), 9);
  EXPECT_EQ(history.Count("changes"), 0);
  EXPECT_EQ(history.Count("latest_runs WHERE name = 'night-03'"), 1);
}

// A night of one model of the two.
Night Small(int day) {
  Night night(day);
  night.Drop("nn");
  return night;
}

TEST(ImporterTest, ARunThatLacksModelsIsSetAside) {
  TestHistory history;
  history.Import(Night(1));
  EXPECT_THAT(history.Import(Small(2)).lacking, testing::ElementsAre("nn"));
  history.Import(Night(3));
  EXPECT_EQ(history.Count("changes"), 0);
  EXPECT_EQ(history.Count("runs WHERE partial = 1"), 1);
  EXPECT_EQ(history.Count("latest_runs WHERE name = 'night-03'"), 1);
}

TEST(ImporterTest, ARunWithMoreModelsContinuesTheSeries) {
  TestHistory history;
  history.Import(Small(1));
  EXPECT_THAT(history.Import(Night(2)).lacking, testing::IsEmpty());
  EXPECT_EQ(history.Count("runs WHERE partial = 1"), 0);
  EXPECT_EQ(history.Count("changes WHERE kind = 'new'"), 2);
}

TEST(ImporterTest, InAnyOrderTheSameRunsAreSetAside) {
  TestHistory history;
  history.Import(Small(2));
  history.Import(Small(3));
  history.Import(Night(4));
  EXPECT_EQ(history.Count("runs WHERE partial = 1"), 0);
  history.Import(Night(1));
  EXPECT_EQ(history.Count("runs WHERE partial = 1"), 2);
  EXPECT_EQ(history.Count("changes"), 0);
  EXPECT_EQ(
      history.Count("runs a JOIN runs b ON b.id = a.previous_id WHERE a.name = 'night-04' AND b.name = 'night-01'"), 1);
}

TEST(ImporterTest, ASeriesWithoutRemovedModelsIsContinuedOnDemand) {
  TestHistory history;
  history.Import(Night(1));
  EXPECT_THAT(history.Import(Small(2), {.fewer_models = true}).lacking, testing::IsEmpty());
  EXPECT_THAT(history.Import(Small(3)).lacking, testing::IsEmpty());
  EXPECT_EQ(history.Count("runs WHERE partial = 1"), 0);
  EXPECT_EQ(history.Count("changes WHERE kind = 'gone'"), 2);
}

TEST(ImporterTest, TargetsAndWholeModelsAreSeriesOfTheirOwn) {
  TestHistory history;
  history.Import(Night(1));
  Night other(2);
  other.run.header.target = "iree";
  other.End(kTanh, Status::kFail, "compare", "wrong");
  history.Import(other);
  EXPECT_EQ(history.Count("changes"), 0);
  EXPECT_EQ(history.Count("latest_runs"), 2);
}

TEST(ImporterTest, TheBaselineSaysOwnerAndIssue) {
  TestHistory history;
  Night night(1);
  night.End(kFft, Status::kFail, "lower", "no fft");
  night.Expect({.ids = {"*__fft_*"},
                .stage = "lower",
                .status = Status::kFail,
                .reason = "no kernel",
                .issue = "https://example.com/7",
                .owner = "ana"});
  history.Import(night);
  EXPECT_THAT(history.Ask("rank", {"status", "stage", "owner", "issue", "rows"}),
              ElementsAre("fail lower ana https://example.com/7 1"));
}

TEST(ImporterTest, TextsOfCompilersMayHaveAnyBytes) {
  TestHistory history;
  Night night(1);
  night.End(kFft, Status::kFail, "lower", "tab\there \\N \\. 'quote' \xff\xfe \x01 zero\0end"s);
  night.run.header.toolchain = "line\nline; DROP TABLE runs; --";
  history.Import(night);
  EXPECT_EQ(history.Count("causes"), 1);
  EXPECT_THAT(history.Ask("rank", {"diagnostic"}), Contains(HasSubstr("tab")));
  EXPECT_EQ(history.Count("runs"), 1);
}

TEST(ImporterTest, NumbersThatAreNotFiniteAreNull) {
  TestHistory history;
  Night night(1);
  Comparison& comparison = night.RecordOf(kTanh).comparisons[0];
  comparison.pcc = std::nan("");
  comparison.bound_ratio = std::nan("");
  comparison.max_abs = std::numeric_limits<double>::infinity();
  history.Import(night);
  EXPECT_EQ(history.Count("comparisons WHERE pcc IS NULL AND bound_ratio IS NULL AND max_abs > 1e300"), 1);
  EXPECT_EQ(history.Count("timings WHERE bound_ratio > 1e300"), 1) << "worse than any number";
}

TEST(ImporterTest, ARunWithoutAnIdIsRefused) {
  TestHistory history;
  Night night(1);
  night.run.header.run_id.clear();
  const auto report = Importer(history.db(), {}).ImportView(night.MakeView(), {}, "x", "out/nightly");
  EXPECT_EQ(report.error().code, ExitCode::kBadInput);
  EXPECT_THAT(report.error().message, HasSubstr("out/nightly: its header has no run_id"));
}

}  // namespace
}  // namespace opbyop::history
