// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/summary/blame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/summary/ranked_causes.h"
#include "reports/summary/summary.h"
#include "reports/view/example_run.h"

namespace opbyop::reports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// A window of a product and a sum.
ExampleRun Pair(Status multiply, Status add, Status window) {
  ExampleRun example;
  example.AddCase("mul_1", "stablehlo.multiply", {"bert"});
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddCase("window_1", std::string(kWindow), {"bert"}).members = {"add_1", "mul_1"};
  for (const auto& [id, status] : {std::pair("mul_1", multiply), {"add_1", add}, {"window_1", window}}) {
    if (status != Status::kMissing) example.AddRecord(id, status, "compare", status == Status::kPass ? "" : "off");
  }
  return example;
}

std::vector<std::string> RedTogether(const ExampleRun& example) {
  const View view = example.MakeView();
  const Blame blame(view);
  std::vector<std::string> ids;
  for (const RowResult* row : blame.RedTogether()) ids.push_back(row->c->id);
  return ids;
}

TEST(BlameTest, ARedPairWhoseOpsPassIsRedTogether) {
  const ExampleRun example = Pair(Status::kPass, Status::kPass, Status::kFail);
  EXPECT_THAT(RedTogether(example), ElementsAre("window_1"));
  EXPECT_EQ(Headline(example.MakeView()), "needs attention: 1 window is red though each of its ops passes");
  EXPECT_THAT(RankCauses(example.MakeView()), SizeIs(1));
}

TEST(BlameTest, ARedPairOfARedOpIsExplainedByIt) {
  const ExampleRun example = Pair(Status::kFail, Status::kPass, Status::kFail);
  EXPECT_THAT(RedTogether(example), IsEmpty());
  const View view = example.MakeView();
  EXPECT_EQ(Headline(view), "needs attention");
  EXPECT_EQ(Blame(view).explained(), 1);
  const std::vector<RankedCause> causes = RankCauses(view);
  ASSERT_THAT(causes, SizeIs(1)) << "the op, not the pair";
  EXPECT_THAT(causes[0].of, ElementsAre("stablehlo.multiply"));
  EXPECT_THAT(causes[0].unlocked, ElementsAre(0)) << "a fix of the op is expected to turn the pair green";
  EXPECT_THAT(SummaryText(view), HasSubstr("1 row of several ops is red with one of its ops"));
}

TEST(BlameTest, ARedPairWithAnOpThatWasNotJudgedIsNeither) {
  for (const Status other : {Status::kInconclusive, Status::kUnsupported, Status::kSkipped}) {
    const ExampleRun example = Pair(other, Status::kPass, Status::kFail);
    EXPECT_THAT(RedTogether(example), IsEmpty());
    EXPECT_THAT(RankCauses(example.MakeView()), SizeIs(1)) << "it is a cause like any other";
  }
}

TEST(BlameTest, APairThatPassesIsNotBlamed) {
  for (const Status op : {Status::kPass, Status::kFail}) {
    const ExampleRun example = Pair(op, Status::kPass, Status::kPass);
    EXPECT_THAT(RedTogether(example), IsEmpty());
    const View view = example.MakeView();
    EXPECT_EQ(Blame(view).explained(), 0);
  }
}

TEST(BlameTest, AnOpThatTheRunLeftOutHasNotPassed) {
  ExampleRun example = Pair(Status::kPass, Status::kPass, Status::kFail);
  example.manifest.cases.back().members.push_back("gone_1");
  EXPECT_THAT(RedTogether(example), IsEmpty());
}

TEST(BlameTest, ARunOfSingleOpsHasNoSuchLine) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kFail, "compare", "off");
  EXPECT_THAT(SummaryText(example.MakeView()), Not(HasSubstr("together")));
  EXPECT_THAT(SummaryText(example.MakeView()), Not(HasSubstr("several ops")));
}

}  // namespace
}  // namespace opbyop::reports
