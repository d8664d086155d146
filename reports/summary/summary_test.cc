// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/summary/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/view/example_run.h"

namespace opbyop::reports {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(SummaryTest, RateNeverRoundsUp) {
  EXPECT_EQ(Percent(0.98765), "98.8 %");
  EXPECT_EQ(Percent(0.99999), "99.9 %");
  EXPECT_EQ(Percent(0.00001), "0.1 %");
  EXPECT_EQ(Percent(1), "100.0 %");
  EXPECT_EQ(Percent(0), "0.0 %");
}

TEST(SummaryTest, HasTheNumbersOfTheRun) {
  const std::string text = SummaryText(EveryStatus().MakeView());
  EXPECT_THAT(text, HasSubstr("models          3, 1 of them could not be split"));
  EXPECT_THAT(text, HasSubstr("distinct cases  13"));
  EXPECT_THAT(text, HasSubstr("26: 7.7 % pass of all rows, 2 pass, 4 fail, 2 crash"));
  EXPECT_THAT(text, HasSubstr("wall time       2.5 s"));
  EXPECT_THAT(text, HasSubstr("not split: cut: cut off"));
}

TEST(SummaryTest, StagesCountPassFailAndOther) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddCase("add_2", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kPass);
  example.AddRecord("add_2", Status::kUnsupported, "lower", "no");
  EXPECT_THAT(SummaryText(example.MakeView()), testing::ContainsRegex("lower +2 +1 +0 +1 +1.00 +0.0"));
}

TEST(SummaryTest, CasesThatTheReferenceFailedOnAreCounted) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  CaseRecord& record = example.AddRecord("add_1", Status::kPass);
  EXPECT_THAT(SummaryText(example.MakeView()), testing::Not(HasSubstr("reference")));
  record.reference = Status::kTimeout;
  EXPECT_THAT(SummaryText(example.MakeView()), HasSubstr("failed on 1 case, which it leaves without a verdict on some "
                                                         "inputs: 1 timeout"));
}

TEST(SummaryTest, RunThatDidNotEndHasNoWallTime) {
  ExampleRun example;
  example.run.complete = false;
  EXPECT_THAT(SummaryText(example.MakeView()), HasSubstr("unknown: the run did not end"));
}

TEST(SummaryTest, ModelWithoutRowsClaimsNoRate) {
  EXPECT_THAT(SummaryMarkdown(EveryStatus().MakeView()), HasSubstr("| cut | 0 | 0 | 0 | 0 | 0 | not split |"));
}

TEST(SummaryTest, MarkdownCellsCannotBreakTheTable) {
  ExampleRun example = EveryStatus("|<b>`\n");
  const std::string text = SummaryMarkdown(example.MakeView());
  EXPECT_THAT(text, AllOf(HasSubstr("why\\|\\<b>\\`"), Not(HasSubstr("why|"))));
}

TEST(SummaryTest, ARunThatJudgedNothingSaysSoFirst) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert", "nn"});
  example.AddRecord("add_1", Status::kUnsupported, "lower", "no");
  const View view = example.MakeView();
  EXPECT_THAT(SummaryText(view), testing::StartsWith("result          nothing was judged: all 2 rows are unsupported"));
  EXPECT_THAT(SummaryMarkdown(view), testing::StartsWith("# host: nothing was judged: all 2 rows are unsupported"));
  EXPECT_THAT(SummaryMarkdown(view), Not(HasSubstr("no unexpected result")));
}

TEST(SummaryTest, ABundleThatAnotherVersionExecutedSaysSoInTheHeadline) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kPass, "compare");
  example.run.header.compiled["other_version"] = "compiled with tt 1, executed with tt 2";
  const std::string text = SummaryText(example.MakeView());
  EXPECT_THAT(text, HasSubstr(", executed by another version than compiled it"));
  EXPECT_THAT(text, HasSubstr("compiled with tt 1, executed with tt 2"));
}

TEST(SummaryTest, ARunThatCompiledOnlySaysSoFirst) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kPass, "lower");
  example.run.header.compile_only = "no board";
  const View view = example.MakeView();
  EXPECT_THAT(SummaryText(view), testing::StartsWith("result          no unexpected result, compiled only\n"));
  EXPECT_THAT(SummaryText(view), HasSubstr("device          compiled only, not executed: no board\n"));
  EXPECT_THAT(SummaryMarkdown(view), testing::StartsWith("# host: no unexpected result, compiled only\n"));
  EXPECT_THAT(SummaryMarkdown(view), HasSubstr("| device | compiled only, not executed: no board |"));
}

TEST(SummaryTest, GreenRunSaysSo) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kPass);
  const std::string text = SummaryMarkdown(example.MakeView());
  EXPECT_THAT(text, AllOf(HasSubstr("# host: no unexpected result"), Not(HasSubstr("What to fix first"))));
  example.run.complete = false;
  EXPECT_THAT(SummaryMarkdown(example.MakeView()), HasSubstr("# host: needs attention"));
}

}  // namespace
}  // namespace opbyop::reports
