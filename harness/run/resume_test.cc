// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/resume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

CaseRecord PassingRecord(const std::string& id) { return {.id = id, .status = Status::kPass}; }

class ResumeTest : public testing::Test {
 protected:
  ResumeTest() {
    header_.target = "mock";
    header_.decides = {{"stages", "parse, lower"}, {"seed", "0"}};
    header_.digest = "d1";
    for (const char* id : {"a", "b", "c"}) cases_.push_back({.id = id});
  }

  std::filesystem::path File() const { return folder_.path() / "results.jsonl"; }

  // Writes the results of an earlier run.
  void Write(const std::vector<std::string>& ids, bool ended) const {
    std::string text = ToJsonLine(header_) + "\n";
    for (const std::string& id : ids) text += ToJsonLine(PassingRecord(id)) + "\n";
    if (ended) text += ToJsonLine(RunFooter{}) + "\n";
    ASSERT_TRUE(WriteFile(File(), text));
  }

  Expected<ResumePlan> Plan(Existing existing, const std::vector<size_t>& selected = {0, 1, 2}) const {
    ResumeQuestion question{.path = File(), .header = &header_, .existing = existing, .all = cases_.size()};
    for (const size_t index : selected) question.selected.push_back(&cases_[index]);
    return PlanResume(question);
  }

  void BecomeAnotherRun() {
    header_.decides["stages"] = "parse, check, lower";
    header_.digest = "d2";
  }

  TestFolder folder_;
  RunHeader header_;
  std::vector<Case> cases_;
};

TEST_F(ResumeTest, NothingIsKeptWithoutExistingResults) {
  for (const Existing existing :
       {Existing::kReplace, Existing::kResume, Existing::kResumeInterrupted, Existing::kDiscard}) {
    const auto plan = Plan(existing);
    ASSERT_TRUE(plan);
    EXPECT_THAT(plan->kept, IsEmpty());
    EXPECT_EQ(plan->note, "");
  }
}

TEST_F(ResumeTest, AnEventThatConcernsItsRecordsIsTakenOverWithThem) {
  Write({"a"}, false);
  std::string text = *ReadFile(File());
  text +=
      ToJsonLine(RunEvent{.text = "passing"}) + "\n" + ToJsonLine(RunEvent{.text = "lasting", .lasting = true}) + "\n";
  ASSERT_TRUE(WriteFile(File(), text));
  const auto plan = Plan(Existing::kResume);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->events.size(), 1u);
  EXPECT_EQ(plan->events[0].text, "lasting");
  EXPECT_THAT(Plan(Existing::kDiscard)->events, IsEmpty());
}

TEST_F(ResumeTest, AnInterruptedRunIsResumed) {
  Write({"a", "b"}, false);
  for (const Existing existing : {Existing::kResume, Existing::kResumeInterrupted}) {
    const auto plan = Plan(existing);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->kept.size(), 2u);
    EXPECT_TRUE(plan->run_only_missing);
    EXPECT_THAT(plan->note, HasSubstr("goes on from its 2 results"));
  }
}

TEST_F(ResumeTest, AFinishedRunIsReplacedUnlessResumeIsRequested) {
  Write({"a", "b", "c"}, true);
  const auto plan = Plan(Existing::kResumeInterrupted);
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->kept, IsEmpty());
  EXPECT_TRUE(plan->replaces_complete);
  EXPECT_EQ(Plan(Existing::kResume)->kept.size(), 3u);
}

TEST_F(ResumeTest, AnotherRunIsRefusedNamingWhatDiffersAndTheWayOut) {
  Write({"a"}, false);
  BecomeAnotherRun();
  for (const Existing existing : {Existing::kResume, Existing::kResumeInterrupted}) {
    const auto plan = Plan(existing);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, ExitCode::kUsage);
    EXPECT_THAT(plan.error().message, HasSubstr("its stages is 'parse, lower', this run's is 'parse, check, lower'"));
    EXPECT_THAT(plan.error().message, HasSubstr("--fresh"));
  }
  EXPECT_TRUE(Plan(Existing::kDiscard));
}

TEST_F(ResumeTest, AFileWithoutDecidingFactsIsRefused) {
  const RunHeader now = header_;
  header_.decides.clear();
  header_.digest.clear();
  Write({"a"}, false);
  header_ = now;
  const auto plan = Plan(Existing::kResume);
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message, HasSubstr("did not write down what decides a result"));
}

TEST_F(ResumeTest, ARunOfSomeCasesKeepsTheResultsOfTheOthers) {
  Write({"a", "b", "c"}, true);
  const auto plan = Plan(Existing::kReplace, {1});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->kept.size(), 3u) << "until b has its new record, a kill must not lose the old one";
  EXPECT_FALSE(plan->run_only_missing) << "b was asked for";
  EXPECT_FALSE(plan->replaces_complete);
  EXPECT_THAT(plan->note, HasSubstr("keeps its 2 other results"));
}

TEST_F(ResumeTest, ARunOfSomeCasesDoesNotMixWithAnotherRun) {
  Write({"a", "b", "c"}, true);
  BecomeAnotherRun();
  for (const Existing existing : {Existing::kReplace, Existing::kResumeInterrupted}) {
    const auto plan = Plan(existing, {1});
    ASSERT_FALSE(plan);
    EXPECT_THAT(plan.error().message, HasSubstr("holds 2 results of another run for cases that this run leaves out"));
    EXPECT_THAT(plan.error().message, HasSubstr("this run's is 'parse, check, lower'"));
    EXPECT_THAT(plan.error().message, HasSubstr("--fresh"));
  }
  const auto fresh = Plan(Existing::kDiscard, {1});
  ASSERT_TRUE(fresh);
  EXPECT_THAT(fresh->kept, IsEmpty());
  EXPECT_TRUE(fresh->replaces_complete);
}

TEST_F(ResumeTest, ResultsThatAreReplacedMayBeOfAnotherRun) {
  Write({"b"}, false);
  BecomeAnotherRun();
  const auto plan = Plan(Existing::kReplace, {1});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->kept, IsEmpty());
}

TEST_F(ResumeTest, ARunOfSomeCasesAfterAnInterruptedOneRunsThemAgain) {
  Write({"a", "b"}, false);
  const auto plan = Plan(Existing::kResumeInterrupted, {1});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->kept.size(), 2u);
  EXPECT_FALSE(plan->run_only_missing);
}

TEST_F(ResumeTest, BadLinesAreReportedAndTheirRunCountsAsInterrupted) {
  Write({"a", "b"}, true);
  std::string text = *ReadFile(File());
  text.insert(text.find("{\"record\":\"footer\""), "{\"record\":\"case\",\"case\":\"c\n");
  ASSERT_TRUE(WriteFile(File(), text));
  const auto plan = Plan(Existing::kResumeInterrupted);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->kept.size(), 2u);
  EXPECT_TRUE(plan->run_only_missing);
  EXPECT_THAT(plan->note, HasSubstr("1 line cannot be read: 4"));
}

TEST_F(ResumeTest, AFileThatCannotBeReadIsOnlyReplacedByARunOfEverything) {
  ASSERT_TRUE(WriteFile(File(), "{\"record\":\"header\",\"schema\":\"opbyop-results/9\"}\n"));
  EXPECT_TRUE(Plan(Existing::kReplace));
  EXPECT_TRUE(Plan(Existing::kResumeInterrupted));
  EXPECT_TRUE(Plan(Existing::kDiscard, {1}));
  for (const auto& plan : {Plan(Existing::kReplace, {1}), Plan(Existing::kResume)}) {
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, ExitCode::kUnsupported);
    EXPECT_THAT(plan.error().message, HasSubstr("--fresh"));
  }
}

}  // namespace
}  // namespace opbyop::harness
