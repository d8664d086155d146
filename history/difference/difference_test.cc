// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/difference/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "history/difference/difference_report.h"
#include "history/import/test_history.h"

namespace opbyop::history {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Each change as "broke bert__tanh_4_f32_00000001".
std::vector<std::string> Changes(const Snapshot& before, const Snapshot& after, const DifferenceOptions& options = {}) {
  const Expected<Difference> difference = Compare(before, after, options, nullptr);
  EXPECT_TRUE(difference);
  std::vector<std::string> lines;
  for (const Change& change : difference->changes) {
    const SnapshotRow& row = change.after ? *change.after : *change.before;
    const Snapshot& snapshot = change.after ? after : before;
    lines.push_back(fmt::format("{} {}__{}", ToString(change.kind), row.model, snapshot.cases[row.case_index].id));
  }
  return lines;
}

std::vector<std::string> Changes(const Night& before, const Night& after) {
  return Changes(SnapshotOf(before.MakeView()), SnapshotOf(after.MakeView()));
}

// A pair of statuses and the kind of change between them.
struct Step {
  Status before, after;
  std::string kind;  // empty: no change
  bool regression = false;
};

class StatusTest : public testing::TestWithParam<Step> {};

TEST_P(StatusTest, HasItsKind) {
  Night before(1), after(2);
  for (auto& [night, status] : {std::pair(&before, GetParam().before), std::pair(&after, GetParam().after)}) {
    if (status != Status::kPass) night->End(kTanh, status, "lower", "why");
  }
  const Snapshot a = SnapshotOf(before.MakeView()), b = SnapshotOf(after.MakeView());
  const std::string kind = GetParam().kind;
  if (kind.empty()) {
    EXPECT_THAT(Changes(a, b), IsEmpty());
    return;
  }
  EXPECT_THAT(Changes(a, b), ElementsAre(kind + " bert__" + kTanh));
  EXPECT_EQ(Compare(a, b, {}, nullptr)->regressed(), GetParam().regression);
}

INSTANTIATE_TEST_SUITE_P(
    All, StatusTest,
    testing::Values(Step{Status::kPass, Status::kPass, ""}, Step{Status::kPass, Status::kFail, "broke", true},
                    Step{Status::kPass, Status::kFlaky, "broke", true},
                    Step{Status::kUnsupported, Status::kCrash, "broke", true},
                    Step{Status::kPass, Status::kUnsupported, "unsupported", true},
                    Step{Status::kFail, Status::kUnsupported, "unsupported"},
                    Step{Status::kPass, Status::kInconclusive, "lost", true},
                    Step{Status::kFail, Status::kSkipped, "lost"}, Step{Status::kFail, Status::kPass, "fixed"},
                    Step{Status::kUnsupported, Status::kPass, "fixed"}, Step{Status::kFail, Status::kFail, ""},
                    Step{Status::kFail, Status::kTimeout, "moved"}),
    [](const auto& info) { return fmt::format("{}_{}", ToString(info.param.before), ToString(info.param.after)); });

TEST(DifferenceTest, AnotherCauseIsAMoveButAnotherNumberIsNoChange) {
  Night before(1), same(2), other(3);
  before.End(kTanh, Status::kFail, "compare", "output 0: 4 of 4 elements");
  same.End(kTanh, Status::kFail, "compare", "output 0: 3 of 4 elements");
  other.End(kTanh, Status::kFail, "compare", "no output");
  EXPECT_THAT(Changes(before, same), IsEmpty());
  EXPECT_THAT(Changes(before, other), ElementsAre(std::string("moved bert__") + kTanh));
}

// A night under a baseline that lets tanh end in a timeout or not.
Night OpenNight(int day) {
  Night night(day);
  night.Expect(
      {.op = "stablehlo.tanh", .stage = "execute", .status = Status::kTimeout, .may_pass = true, .reason = "slow"});
  return night;
}

TEST(DifferenceTest, ARowThatTheBaselineLetsPassOrFailHasNotChanged) {
  const Night passes = OpenNight(1);
  Night fails = OpenNight(2);
  fails.End(kTanh, Status::kTimeout, "execute", "no answer after 20 s");
  const Snapshot a = SnapshotOf(passes.MakeView()), b = SnapshotOf(fails.MakeView());
  EXPECT_THAT(Changes(a, b), IsEmpty());
  EXPECT_THAT(Changes(b, a), IsEmpty());
  EXPECT_EQ(Compare(a, b, {}, nullptr)->up_to_machine, 1);
  EXPECT_EQ(Compare(b, b, {}, nullptr)->up_to_machine, 0);
  for (const std::string& text :
       {DifferenceText(*Compare(a, b, {}, nullptr)), DifferenceMarkdown(*Compare(b, a, {}, nullptr))}) {
    EXPECT_THAT(text, AllOf(HasSubstr("nothing got worse"),
                            HasSubstr("1 row changed between passing and the failure that the baseline allows")));
  }
}

TEST(DifferenceTest, SuchARowThatFailsOtherwiseBroke) {
  const Night passes = OpenNight(1);
  Night crashes = OpenNight(2);
  crashes.End(kTanh, Status::kCrash, "execute", "signal 11");
  EXPECT_THAT(Changes(passes, crashes), ElementsAre(std::string("broke bert__") + kTanh));
}

TEST(DifferenceTest, ABaselineThatStartsToLetARowPassOrFailIsAChange) {
  Night before(1);
  Night fails = OpenNight(2);
  for (Night* night : {&before, &fails}) night->End(kTanh, Status::kTimeout, "execute", "no answer after 20 s");
  EXPECT_THAT(Changes(before, fails), ElementsAre(std::string("moved bert__") + kTanh));
}

TEST(DifferenceTest, RowsComeAndGo) {
  Night before(1), after(2);
  after.AddCase("sine_4_f32_00000009", "stablehlo.sine", {"nn"});
  after.AddRecord("sine_4_f32_00000009", Status::kFail, "lower", "no sine");
  before.AddCase("cosine_4_f32_00000008", "stablehlo.cosine", {"nn"});
  before.AddRecord("cosine_4_f32_00000008", Status::kPass);
  const Snapshot a = SnapshotOf(before.MakeView()), b = SnapshotOf(after.MakeView());
  EXPECT_THAT(Changes(a, b), ElementsAre("new nn__sine_4_f32_00000009", "gone nn__cosine_4_f32_00000008"));
  EXPECT_FALSE(Compare(a, b, {}, nullptr)->regressed()) << "what is new and red never passed";
}

TEST(DifferenceTest, RowsThatARunLeftOutAreNotGone) {
  Night before(1), after(2);
  after.run.header.selected = "0";
  EXPECT_THAT(Changes(before, after), IsEmpty());
  EXPECT_THAT(Changes(after, before), IsEmpty());
}

TEST(DifferenceTest, ErrorsThatGrowAreReported) {
  Night before(1), after(2);
  before.RecordOf(kAdd).comparisons[0].bound_ratio = 0.2;
  after.RecordOf(kAdd).comparisons[0].bound_ratio = 0.6;
  EXPECT_THAT(Changes(before, after),
              ElementsAre(std::string("worse bert__") + kAdd, std::string("worse nn__") + kAdd));
  EXPECT_THAT(Changes(after, before),
              ElementsAre(std::string("better bert__") + kAdd, std::string("better nn__") + kAdd));
  after.RecordOf(kAdd).comparisons[0].bound_ratio = std::nan("");
  EXPECT_THAT(Changes(before, after), testing::SizeIs(2)) << "no number is worse than any";
}

TEST(DifferenceTest, ErrorsThatAreSmallAreNoChange) {
  Night before(1), after(2);
  before.RecordOf(kAdd).comparisons[0].bound_ratio = 0.001;
  after.RecordOf(kAdd).comparisons[0].bound_ratio = 0.01;
  EXPECT_THAT(Changes(before, after), IsEmpty());
  before.RecordOf(kAdd).comparisons[0].bound_ratio = 0.4;
  after.RecordOf(kAdd).comparisons[0].bound_ratio = 0.7;
  EXPECT_THAT(Changes(before, after), IsEmpty());
}

TEST(DifferenceTest, ErrorsThatGrowFromZeroAreReported) {
  Night before(1), after(2);
  before.RecordOf(kTanh).comparisons[0].bound_ratio = 0;
  after.RecordOf(kTanh).comparisons[0].bound_ratio = 0.5;
  EXPECT_THAT(Changes(before, after), ElementsAre(std::string("worse bert__") + kTanh));
  EXPECT_THAT(DifferenceText(*Compare(SnapshotOf(before.MakeView()), SnapshotOf(after.MakeView()), {}, nullptr)),
              Not(HasSubstr("0 µs")));
}

TEST(DifferenceTest, TimesOfTwoMachinesAreNotCompared) {
  Night before(1), after(2);
  after.run.header.host["cpu"] = "another";
  after.RecordOf(kTanh).timing = {10, 900, 1000, 1100};
  const Snapshot a = SnapshotOf(before.MakeView()), b = SnapshotOf(after.MakeView());
  EXPECT_THAT(Changes(a, b), IsEmpty());
  EXPECT_THAT(Compare(a, b, {}, nullptr)->untimed, HasSubstr("of different machines"));
}

TEST(DifferenceTest, ACaseThatBecomesSlowIsReported) {
  Night before(1), after(2);
  after.RecordOf(kTanh).timing = {10, 190, 200, 210};
  EXPECT_THAT(Changes(before, after), ElementsAre(std::string("slower bert__") + kTanh));
  EXPECT_THAT(Changes(after, before), ElementsAre(std::string("faster bert__") + kTanh));
}

TEST(DifferenceReportTest, OneCauseIsOneEntry) {
  Night before(1), after(2);
  after.End(kAdd, Status::kFail, "lower", "no kernel for 4 elements");
  after.End(kTanh, Status::kFail, "lower", "no kernel for 5 elements");
  const Snapshot a = SnapshotOf(before.MakeView()), b = SnapshotOf(after.MakeView());
  const Difference difference = *Compare(a, b, {}, nullptr);
  const std::vector<DifferenceEntry> entries = EntriesOf(difference);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].rows, 3);
  EXPECT_THAT(entries[0].ops, ElementsAre("stablehlo.add", "stablehlo.tanh"));
  EXPECT_THAT(DifferenceText(difference), AllOf(HasSubstr("host: 1 thing got worse"), HasSubstr(entries[0].group),
                                                HasSubstr("fail in lower: no kernel for 5 elements")));
}

TEST(DifferenceReportTest, ACommentHasLessThan30Lines) {
  Night before(1), after(2);
  for (int i = 0; i < 100; ++i) {
    const std::string id = fmt::format("sine_{}_f32_0000000a", i);
    for (Night* night : {&before, &after}) night->AddCase(id, "stablehlo.sine" + std::to_string(i), {"nn"});
    before.AddRecord(id, Status::kPass);
    after.AddRecord(id, Status::kFail, "lower", fmt::format("`|` error of{}\n<b>", std::string(i + 1, 'x')));
  }
  const Snapshot a = SnapshotOf(before.MakeView()), b = SnapshotOf(after.MakeView());
  const std::string comment = DifferenceMarkdown(*Compare(a, b, {}, nullptr));
  EXPECT_LT(std::ranges::count(comment, '\n'), 30);
  EXPECT_THAT(comment, AllOf(HasSubstr("100 things got worse"), HasSubstr("82 more"), Not(HasSubstr("| `|`"))));
}

TEST(DifferenceReportTest, NothingIsSaidIfNothingChanged) {
  const Snapshot a = SnapshotOf(Night(1).MakeView()), b = SnapshotOf(Night(2).MakeView());
  const std::string text = DifferenceText(*Compare(a, b, {}, nullptr));
  EXPECT_THAT(text, HasSubstr("host: nothing got worse"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
}

}  // namespace
}  // namespace opbyop::history
