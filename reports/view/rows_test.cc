// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/view/example_run.h"

namespace opbyop::reports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(RowsTest, RowIsACaseInAModel) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert", "nn"});
  example.AddRecord("add_1", Status::kPass);
  const View view = example.MakeView();
  ASSERT_THAT(view.rows, SizeIs(2));
  EXPECT_EQ(view.rows[0].name, "bert__add_1");
  EXPECT_EQ(view.rows[1].name, "nn__add_1");
  EXPECT_EQ(view.rows[1].status, Status::kPass);
  EXPECT_EQ(view.rows[1].ops, 2);
  EXPECT_EQ(view.models[1].counts.passed(), 1);
  EXPECT_EQ(view.ops[0].cases, 1);
  EXPECT_EQ(view.ops[0].counts.rows, 2);
  EXPECT_EQ(view.model_ops, 44);
  EXPECT_FALSE(view.red());
}

TEST(RowsTest, CaseWithoutRecordIsMissingAndRed) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  const View view = example.MakeView();
  EXPECT_EQ(view.rows[0].status, Status::kMissing);
  EXPECT_EQ(Message(view.rows[0]), "missing: in the manifest, not in the results");
  EXPECT_TRUE(view.red());
}

TEST(RowsTest, ALineThatCannotBeReadIsRed) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kPass);
  EXPECT_EQ(example.MakeView().exit_code(), ExitCode::kOk);
  example.run.bad_lines = {{3, "not JSON"}};
  EXPECT_EQ(example.MakeView().exit_code(), ExitCode::kUnexpectedResult);
}

TEST(RowsTest, AModelThatCouldNotBeSplitWeighsLessThanARedRow) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.manifest.models[1].error = "cut off";
  example.AddRecord("add_1", Status::kPass);
  EXPECT_EQ(example.MakeView().exit_code(), ExitCode::kPartial);
  example.run.cases[0].status = Status::kFail;
  EXPECT_EQ(example.MakeView().exit_code(), ExitCode::kUnexpectedResult);
}

TEST(RowsTest, RunThatDidNotEndIsRedAndSaysSoInItsMissingRows) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kPass);
  example.run.complete = false;
  EXPECT_TRUE(example.MakeView().red());
  example.AddCase("add_2", "stablehlo.add", {"bert"});
  EXPECT_THAT(Message(example.MakeView().rows[1]), HasSubstr("the run ended before this case"));
}

TEST(RowsTest, ModelThatCouldNotBeSplitIsRed) {
  ExampleRun example;
  example.manifest.models[1].error = "no @main";
  const View view = example.MakeView();
  EXPECT_THAT(view.unsplit, ElementsAre(&example.manifest.models[1]));
  EXPECT_TRUE(view.red());
}

TEST(RowsTest, PassRateIsOfAllRows) {
  const ExampleRun example = EveryStatus();
  const View view = example.MakeView();
  EXPECT_EQ(view.totals.rows, 26);
  EXPECT_EQ(view.totals.passed(), 2);
  EXPECT_DOUBLE_EQ(view.totals.pass_rate(), 2.0 / 26);
  // fail twice, crash, timeout, out of memory, flaky, missing, unexpected pass, in two models each.
  EXPECT_EQ(view.totals.problems(), 16);
}

TEST(RowsTest, ARunWithoutAVerdictIsNotGreen) {
  ExampleRun example;
  const std::vector<Status> statuses = {Status::kUnsupported, Status::kInconclusive, Status::kSkipped};
  for (const Status status : statuses) {
    const std::string id(ToString(status));
    example.AddCase(id, "stablehlo.add", {"bert"});
    example.AddRecord(id, status, "lower", "no");
  }
  EXPECT_EQ(example.MakeView().exit_code(), ExitCode::kNothingJudged);
  example.manifest.models.push_back({.name = "cut", .error = "cut off"});
  EXPECT_EQ(example.MakeView().exit_code(), ExitCode::kNothingJudged) << "a model less to judge makes it no better";
  example.AddCase("good", "stablehlo.add", {"bert"});
  example.AddRecord("good", Status::kPass);
  EXPECT_EQ(example.MakeView().exit_code(), ExitCode::kPartial);
  example.AddCase("bad", "stablehlo.add", {"bert"});
  example.AddRecord("bad", Status::kFail);
  EXPECT_EQ(example.MakeView().exit_code(), ExitCode::kUnexpectedResult);
}

TEST(RowsTest, AWholeModelThatPassesIsAJudgement) {
  ExampleRun example;
  example.AddCase("add", "stablehlo.add", {"bert"});
  example.AddRecord("add", Status::kUnsupported, "lower", "no");
  View view = example.MakeView();
  view.models.front().whole = WholeModel{.status = Status::kPass};
  EXPECT_EQ(view.exit_code(), ExitCode::kOk);
  view.models.front().whole->status = Status::kUnsupported;
  EXPECT_EQ(view.exit_code(), ExitCode::kNothingJudged);
}

TEST(RowsTest, ARowThatPassedBeforeAndHasNoVerdictNowIsARegression) {
  ExampleRun example;
  example.AddCase("add", "stablehlo.add", {"bert"});
  example.AddRecord("add", Status::kUnsupported, "lower", "no kernel");
  example.baseline = Baseline{.floor = {"bert__*"}};
  const View view = example.MakeView();
  EXPECT_EQ(view.rows[0].status, Status::kFail);
  EXPECT_EQ(view.rows[0].recorded_status, Status::kUnsupported);
  EXPECT_EQ(view.rows[0].diagnostic, "passed before, now unsupported: no kernel");
  EXPECT_EQ(view.exit_code(), ExitCode::kUnexpectedResult);
}

TEST(RowsTest, ADemandThatIsNotMetIsRed) {
  ExampleRun example;
  example.AddCase("add", "stablehlo.add", {"bert"});
  example.AddRecord("add", Status::kPass);
  View view = example.MakeView();
  view.unmet = {"1 of 1 rows pass, 2 must (--min-pass=2)"};
  EXPECT_EQ(view.exit_code(), ExitCode::kUnexpectedResult);
}

TEST(RowsTest, ARunWithoutRowsIsNotFlagged) { EXPECT_EQ(ExampleRun().MakeView().exit_code(), ExitCode::kOk); }

TEST(RowsTest, StageThatKilledTheWorkerCountsAsReached) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  CaseRecord& record = example.AddRecord("add_1", Status::kCrash, "execute", "gone");
  record.stages.pop_back();
  EXPECT_EQ(StageStatus(record, "execute"), Status::kCrash);
  EXPECT_EQ(StageStatus(record, "load"), Status::kPass);
  EXPECT_EQ(StageStatus(record, "compare"), std::nullopt);
  const View view = example.MakeView();
  const StageCount& execute = view.ops[0].stages[3];
  EXPECT_EQ(execute.reached, 1);
  EXPECT_EQ(execute.failed, 1);
  EXPECT_EQ(view.ops[0].stages[4].reached, 0);
}

TEST(RowsTest, InconclusivePassIsNoPassOfItsLastStage) {
  ExampleRun example;
  example.AddCase("iota_1", "stablehlo.iota", {"bert"});
  example.AddRecord("iota_1", Status::kInconclusive, "compare", "no run-time input").stages.back().status =
      Status::kPass;
  const StageCount compare = example.MakeView().stages.back().rows;
  EXPECT_EQ(compare.reached, 1);
  EXPECT_EQ(compare.passed, 0);
  EXPECT_EQ(compare.failed, 0);
}

TEST(RowsTest, StageOfTheReferenceIsShownIfARowEndedInIt) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  EXPECT_EQ(example.MakeView().stages.front().name, "parse");
  example.AddRecord("add_1", Status::kCrash, "inputs", "gone").stages = {{"inputs", Status::kCrash, 1, "gone"}};
  EXPECT_EQ(example.MakeView().stages.front().name, "inputs");
}

TEST(RowsTest, StageTimesAreOfCasesNotRows) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert", "nn"});
  example.AddRecord("add_1", Status::kPass).stages[0].ms = 8;
  EXPECT_EQ(example.MakeView().stages[0].total_ms, 8);
  EXPECT_EQ(example.MakeView().stages[0].median_ms, 8);
}

TEST(RowsTest, BaselineIsStrictInBothDirections) {
  const ExampleRun example = EveryStatus();
  const View view = example.MakeView();
  const RowResult& expected = view.rows[22];
  ASSERT_EQ(expected.name, "bert__l_expected");
  EXPECT_EQ(expected.status, Status::kExpectedFail);
  EXPECT_EQ(Message(expected), "expected_fail in execute: why (baseline: known)");
  const RowResult& unexpected = view.rows[24];
  ASSERT_EQ(unexpected.name, "bert__m_unexpected");
  EXPECT_EQ(unexpected.status, Status::kUnexpectedPass);
  EXPECT_THAT(Message(unexpected), HasSubstr("passed although the baseline expects fail in execute: known"));
}

TEST(RowsTest, APassThatTheBaselineDoesNotRelyOnIsInconclusiveWithAReason) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kPass);
  example.Expect(
      {.ids = {"*__add_1"}, .stage = "execute", .status = Status::kTimeout, .may_pass = true, .reason = "slow"});
  const View view = example.MakeView();
  EXPECT_EQ(view.totals.passed(), 0);
  EXPECT_EQ(view.totals.problems(), 0);
  EXPECT_EQ(view.rows[0].status, Status::kInconclusive);
  EXPECT_EQ(Message(view.rows[0]),
            "inconclusive in compare: passed; the baseline allows timeout in execute as well: slow");
}

TEST(RowsTest, ARowThatMayPassAndDoesSoWhenTriedAgainFailedAsExpected) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kFlaky, "execute", "timeout in stage execute, then pass alone").first_attempt = {
      Status::kTimeout, "execute", "no end"};
  example.Expect(
      {.ids = {"*__add_1"}, .stage = "execute", .status = Status::kTimeout, .may_pass = true, .reason = "slow"});
  EXPECT_EQ(Message(example.MakeView().rows[0]),
            "expected_fail in execute: timeout in stage execute, then pass alone (baseline: slow)");
}

TEST(RowsTest, ARowThatTheFreshDrawFoundIsRedAndKnowsItsEndWithoutIt) {
  ExampleRun example;
  example.AddCase("add_a", "stablehlo.add", {"bert"});
  CaseRecord& record = example.AddRecord("add_a", Status::kFail, "compare", "under edge#seed7: wrong");
  record.sets = {{.policy = "domain", .status = Status::kPass}, {.policy = "edge#seed7", .status = Status::kFail}};
  record.fixed = {Status::kPass, "compare", ""};
  example.Expect({.ids = {"bert__add_a"}, .stage = "compare", .reason = "r"});
  const View view = example.MakeView();
  EXPECT_EQ(view.rows[0].status, Status::kFail);
  EXPECT_EQ(OfFixedDraws(view.rows[0]).status, Status::kUnexpectedPass);
  EXPECT_EQ(&OfFixedDraws(*view.rows[0].fixed), view.rows[0].fixed.get());
}

TEST(RowsTest, ARowWithoutTheFreshDrawIsOfTheSameCaseAndModel) {
  ExampleRun example;
  example.AddCase("mul_a", "stablehlo.multiply", {"bert"});
  example.AddRecord("mul_a", Status::kPass, "compare", "");
  example.AddCase("add_a", "stablehlo.add", {"bert", "nn"});
  CaseRecord& record = example.AddRecord("add_a", Status::kFail, "compare", "under edge#seed7: wrong");
  record.sets = {{.policy = "domain", .status = Status::kPass}, {.policy = "edge#seed7", .status = Status::kFail}};
  record.fixed = {Status::kPass, "compare", ""};
  const View view = example.MakeView();
  ASSERT_EQ(view.rows.size(), 3u);
  for (const RowResult& row : view.rows) {
    EXPECT_EQ(OfFixedDraws(row).case_index, row.case_index) << row.name;
    EXPECT_EQ(OfFixedDraws(row).model_index, row.model_index) << row.name;
  }
  EXPECT_EQ(view.rows[2].model_index, 1u);
}

TEST(RowsTest, MessageNamesStatusStageAndSignal) {
  const ExampleRun example = EveryStatus();
  const View view = example.MakeView();
  EXPECT_EQ(Message(view.rows[0]), "");
  EXPECT_EQ(Message(view.rows[2]), "lower: why");
  EXPECT_EQ(Message(view.rows[6]), "crash in lower (signal 11): why");
  EXPECT_EQ(Message(view.rows[8]), "timeout in execute: why");
}

TEST(RowsTest, MessageIsOneBoundedLine) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kFail, "lower", "first\nsecond " + std::string(4000, 'x'));
  EXPECT_EQ(Message(example.MakeView().rows[0]), "lower: first");
  example.run.cases[0].diagnostic = std::string(4000, 'x');
  EXPECT_LE(Message(example.MakeView().rows[0]).size(), 500u);
}

TEST(RowsTest, ResultThatTheManifestLacksIsNamed) {
  ExampleRun example;
  example.AddRecord("unknown_case", Status::kPass);
  EXPECT_THAT(example.MakeView().unknown_records, ElementsAre("unknown_case"));
}

TEST(RowsTest, RowsThatTheRunDidNotChooseAreNoRows) {
  ExampleRun example;
  example.manifest.models.push_back({.name = "cut", .error = "cut off"});
  example.AddCase("add_1", "stablehlo.add", {"bert", "nn"});
  example.AddCase("add_2", "stablehlo.add", {"bert"});
  example.AddCase("tanh_1", "stablehlo.tanh", {"bert"});
  example.AddRecord("add_1", Status::kPass);
  example.run.header.filter = "--gtest_filter=*";
  example.run.header.selected = "1-2";
  const View view = example.MakeView();
  ASSERT_THAT(view.rows, SizeIs(2));
  EXPECT_EQ(view.rows[0].name, "nn__add_1");
  EXPECT_EQ(view.rows[1].status, Status::kMissing) << "chosen, and not in the results";
  EXPECT_EQ(view.cases, 2);
  EXPECT_THAT(view.ops, SizeIs(1));
  EXPECT_TRUE(view.unsplit.empty()) << "a run of chosen rows says nothing of models without any";
}

TEST(RowsTest, AShardAnswersForModelsThatCouldNotBeSplit) {
  ExampleRun example;
  example.manifest.models.push_back({.name = "cut", .error = "cut off"});
  example.AddCase("add_1", "stablehlo.add", {"bert", "nn"});
  example.run.header.selected = "1";
  EXPECT_THAT(example.MakeView().unsplit, SizeIs(1));
}

TEST(RowsTest, WorstComparisonIsTheRejectedOne) {
  CaseRecord record;
  EXPECT_EQ(WorstComparison(record), nullptr);
  record.comparisons = {{.output = 0, .bound_ratio = 50, .accepted = true},
                        {.output = 1, .bound_ratio = 2, .accepted = false},
                        {.output = 2, .bound_ratio = 9, .accepted = false}};
  EXPECT_EQ(WorstComparison(record)->output, 2);
}

}  // namespace
}  // namespace opbyop::reports
