// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/inputs/input_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CaseRecord Compiled() {
  CaseRecord record;
  record.status = Status::kPass;
  record.stages = {{"parse"}, {"lower", Status::kPass, 10}};
  record.artifact_bytes = 64;
  return record;
}

CaseRecord Set(Status status, const std::string& stage = "compare", const std::string& diagnostic = "") {
  CaseRecord set;
  set.seed = 7;
  set.status = status;
  set.stage = stage;
  set.diagnostic = diagnostic;
  for (const char* name : {"load", "execute", "compare"}) {
    set.stages.push_back({name, name == stage ? status : Status::kPass, 1});
    if (name == stage) break;
  }
  if (stage == "compare") set.comparisons.emplace_back().worst.push_back({{0}, "1", "1", 0.1});
  return set;
}

std::vector<std::string> NamesOf(const std::vector<StageRecord>& stages) {
  std::vector<std::string> names;
  for (const StageRecord& stage : stages) names.push_back(stage.name);
  return names;
}

TEST(InputSetTest, EveryComparisonHasItsPolicyAndEverySetItsLine) {
  CaseRecord record = Compiled();
  EXPECT_TRUE(JoinSet(Set(Status::kPass), "domain", record));
  EXPECT_FALSE(JoinSet(Set(Status::kPass), "edge", record));
  ASSERT_EQ(record.comparisons.size(), 2u);
  EXPECT_EQ(record.comparisons[0].policy, "domain");
  EXPECT_EQ(record.comparisons[1].policy, "edge");
  ASSERT_EQ(record.sets.size(), 2u);
  EXPECT_EQ(record.sets[1].policy, "edge");
  EXPECT_EQ(record.sets[1].seed, 7u);
  EXPECT_EQ(record.sets[1].status, Status::kPass);
  EXPECT_EQ(record.status, Status::kPass);
}

TEST(InputSetTest, AStageIsListedOnceWithTheTimeOfAllSets) {
  CaseRecord record = Compiled();
  JoinSet(Set(Status::kPass), "domain", record);
  JoinSet(Set(Status::kPass), "edge", record);
  EXPECT_THAT(NamesOf(record.stages), ElementsAre("parse", "lower", "load", "execute", "compare"));
  EXPECT_EQ(record.stages[1].ms, 10);
  EXPECT_EQ(record.stages[3].ms, 2);
}

TEST(InputSetTest, AFailureUnderAnyPolicyIsTheCasesAndNamesIt) {
  CaseRecord record = Compiled();
  JoinSet(Set(Status::kPass), "domain", record);
  EXPECT_TRUE(JoinSet(Set(Status::kFail, "execute", "trap"), "edge", record));
  EXPECT_FALSE(JoinSet(Set(Status::kPass), "sweep", record));
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.stage, "execute");
  EXPECT_EQ(record.diagnostic, "under edge: trap");
  EXPECT_EQ(record.sets[1].diagnostic, "trap");
  EXPECT_THAT(NamesOf(record.stages), ElementsAre("parse", "lower", "load", "execute")) << "it never came to compare";
  EXPECT_EQ(DecidingSet(record)->policy, "edge");
}

TEST(InputSetTest, TheWorstSetDecidesAndOfEquallyBadOnesTheFirst) {
  CaseRecord record = Compiled();
  JoinSet(Set(Status::kImprecise, "compare", "narrow"), "domain", record);
  EXPECT_TRUE(JoinSet(Set(Status::kFail, "compare", "wrong"), "sparse", record));
  EXPECT_FALSE(JoinSet(Set(Status::kFail, "compare", "wrong too"), "edge", record));
  EXPECT_EQ(record.diagnostic, "under sparse: wrong");
  EXPECT_TRUE(JoinSet(Set(Status::kCrash, "execute", "died"), "sweep", record));
  EXPECT_EQ(record.status, Status::kCrash);
}

TEST(InputSetTest, OneConclusivePassIsEnough) {
  CaseRecord record = Compiled();
  JoinSet(Set(Status::kInconclusive, "compare", "all zero"), "domain", record);
  EXPECT_TRUE(JoinSet(Set(Status::kPass), "edge", record));
  EXPECT_EQ(record.status, Status::kPass);
  EXPECT_EQ(record.diagnostic, "");
  EXPECT_EQ(record.stages.back().status, Status::kPass);
  CaseRecord later = Compiled();
  JoinSet(Set(Status::kPass), "domain", later);
  EXPECT_FALSE(JoinSet(Set(Status::kInconclusive, "compare", "unbounded"), "edge", later));
  EXPECT_EQ(later.status, Status::kPass);
}

TEST(InputSetTest, ACaseIsInconclusiveIfNoSetProvesAnything) {
  CaseRecord record = Compiled();
  JoinSet(Set(Status::kSkipped, "inputs", "no end"), "domain", record);
  JoinSet(Set(Status::kInconclusive, "compare", "all zero"), "edge", record);
  EXPECT_EQ(record.status, Status::kInconclusive);
  EXPECT_EQ(record.diagnostic, "under edge: all zero");
}

TEST(InputSetTest, InputsThatCannotBeDrawnSkipTheirSetAlone) {
  CaseRecord record = Compiled();
  CaseRecord skipped;
  skipped.status = Status::kSkipped;
  skipped.stage = "inputs";
  skipped.diagnostic = "no generated inputs fit";
  skipped.stages = {{"inputs", Status::kSkipped, 1, "no generated inputs fit"}};
  JoinSet(skipped, "domain", record);
  EXPECT_THAT(NamesOf(record.stages), ElementsAre("parse", "lower", "inputs"));
  JoinSet(Set(Status::kPass), "edge", record);
  EXPECT_THAT(NamesOf(record.stages), ElementsAre("parse", "lower", "load", "execute", "compare"));
  CaseRecord after = Compiled();
  JoinSet(Set(Status::kPass), "domain", after);
  JoinSet(skipped, "edge", after);
  EXPECT_EQ(after.status, Status::kPass);
  EXPECT_THAT(NamesOf(after.stages), ElementsAre("parse", "lower", "load", "execute", "compare"));
  EXPECT_EQ(after.sets[1].diagnostic, "no generated inputs fit");
}

TEST(InputSetTest, ACaseThatIsUnsupportedUnderOnePolicyIsNoPass) {
  CaseRecord record = Compiled();
  JoinSet(Set(Status::kPass), "domain", record);
  JoinSet(Set(Status::kUnsupported, "execute", "no NaN here"), "edge", record);
  EXPECT_EQ(record.status, Status::kUnsupported);
}

TEST(InputSetTest, ASetCountsTheElementsWithoutABound) {
  CaseRecord record = Compiled();
  JoinSet(Set(Status::kPass), "domain", record);
  CaseRecord edge = Set(Status::kInconclusive);
  edge.comparisons.emplace_back().output = 1;
  edge.comparisons[0].unbounded = 2;
  edge.comparisons[1].unbounded = 3;
  JoinSet(edge, "edge", record);
  EXPECT_EQ(record.sets[0].unbounded, 0);
  EXPECT_EQ(record.sets[1].unbounded, 5);
  EXPECT_EQ(record.status, Status::kPass);
}

TEST(InputSetTest, ASetWithoutAnyBoundOrAnyComparisonJudgedNothing) {
  const auto judged_nothing = [](CaseRecord set) {
    CaseRecord record = Compiled();
    JoinSet(Set(Status::kPass), "domain", record);
    JoinSet(std::move(set), "edge", record);
    return record.sets.back().judged_nothing;
  };
  CaseRecord edge = Set(Status::kInconclusive);
  edge.comparisons = {{.elements = 4, .unbounded = 4}, {.output = 1, .elements = 4, .unbounded = 3}};
  EXPECT_FALSE(judged_nothing(edge));
  edge.comparisons[1].unbounded = 4;
  EXPECT_TRUE(judged_nothing(edge));
  edge.comparisons[1].random = true;
  EXPECT_FALSE(judged_nothing(edge)) << "the distribution was judged";
  CaseRecord skipped = Set(Status::kSkipped, "inputs", "too large");
  skipped.comparisons.clear();
  EXPECT_TRUE(judged_nothing(skipped));
  CaseRecord crashed = Set(Status::kCrash, "execute");
  crashed.comparisons.clear();
  EXPECT_FALSE(judged_nothing(crashed));
}

TEST(InputSetTest, TimingIsOfTheFirstSet) {
  CaseRecord record = Compiled(), first = Set(Status::kPass), second = Set(Status::kPass);
  first.timing = {10, 1, 2, 3};
  second.timing = {1, 9, 9, 9};
  second.peak_rss_kb = 5;
  JoinSet(first, "domain", record);
  JoinSet(second, "edge", record);
  EXPECT_EQ(record.timing.n, 10);
  EXPECT_EQ(record.peak_rss_kb, 5);
  EXPECT_EQ(record.artifact_bytes, 64);
}

TEST(InputSetTest, AFailedCaseIsRepeatedUnderThePolicyThatItFailedUnder) {
  const std::vector<RunPolicy> policies = {{"domain", "domain"}, {"./mine.yaml", "edge"}};
  CaseRecord record = Compiled();
  EXPECT_EQ(ReproPolicyOf(record, policies), "") << "no set ran";
  JoinSet(Set(Status::kPass), "domain", record);
  EXPECT_EQ(ReproPolicyOf(record, policies), "");
  JoinSet(Set(Status::kFail), "edge", record);
  EXPECT_EQ(ReproPolicyOf(record, policies), "./mine.yaml");
  CaseRecord again = Compiled();
  JoinSet(Set(Status::kFail), SetName(policies[0], true), again);
  EXPECT_EQ(again.sets[0].policy, "domain#2");
  EXPECT_EQ(ReproPolicyOf(again, policies), "domain");
}

TEST(FindPoliciesTest, NamesAndFilesMayBeMixed) {
  const TestFolder folder;
  const std::string file = folder.path() / "mine.yaml";
  ASSERT_TRUE(WriteFile(file, "schema: opbyop-policy/1\nname: mine\ninputs: edge\n"));
  const auto policies = FindPolicies("sparse," + file);
  ASSERT_TRUE(policies) << policies.error().message;
  ASSERT_EQ(policies->size(), 2u);
  EXPECT_EQ((*policies)[0].name, "sparse");
  EXPECT_EQ((*policies)[1].name, "mine");
  EXPECT_EQ(NamesOf(*policies), "sparse," + file);
}

TEST(FindPoliciesTest, UnknownEmptyAndRepeatedNamesAreMistakesOfUse) {
  for (const char* list : {"domain,nosuch", "domain,", ",domain", "domain,domain"}) {
    const auto policies = FindPolicies(list);
    ASSERT_FALSE(policies) << list;
    EXPECT_EQ(policies.error().code, ExitCode::kUsage) << list;
  }
}

TEST(FindPoliciesTest, TheDefaultListIsThere) {
  const auto policies = FindPolicies(kDefaultPolicies);
  ASSERT_TRUE(policies) << policies.error().message;
  EXPECT_EQ(policies->front().name, "domain");
}

constexpr const char* kFresh = "edge#seed7";

TEST(FreshDrawJoinedTest, APassChangesNothingButTheListOfSets) {
  for (const Status status : {Status::kInconclusive, Status::kSkipped, Status::kFail, Status::kPass}) {
    CaseRecord record = Compiled();
    JoinSet(Set(status), "domain", record);
    const std::vector<StageRecord> stages = record.stages;
    JoinFreshDraw(Set(Status::kPass), kFresh, record);
    EXPECT_EQ(record.status, status);
    EXPECT_EQ(record.fixed.status, Status::kMissing);
    EXPECT_EQ(record.stages.back().ms, stages.back().ms) << "times of nights are compared";
    EXPECT_EQ(record.sets.back().policy, kFresh);
    EXPECT_EQ(DecidingSet(record)->policy, "domain");
  }
}

TEST(FreshDrawJoinedTest, AFailureDecidesAndTheEarlierStatusIsKept) {
  CaseRecord record = Compiled();
  JoinSet(Set(Status::kInconclusive, "compare", "all zero"), "domain", record);
  JoinFreshDraw(Set(Status::kFail, "compare", "wrong"), kFresh, record);
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.diagnostic, "under edge#seed7: wrong");
  EXPECT_EQ(record.fixed.status, Status::kInconclusive);
  EXPECT_EQ(record.fixed.diagnostic, "all zero");
  EXPECT_THAT(NamesOf(record.stages), ElementsAre("parse", "lower", "load", "execute", "compare"));
  const ReproOptions repeat = ReproOptionsOf(record, {{"domain", "domain"}, {"./e.yaml", "edge"}});
  EXPECT_EQ(repeat.policy, "./e.yaml");
  EXPECT_EQ(repeat.fresh_seed, 7u);
  EXPECT_EQ(DecidingSet(record)->policy, kFresh);
}

TEST(FreshDrawJoinedTest, AFailureThatIsNoWorseLeavesTheCasesOwn) {
  CaseRecord record = Compiled();
  JoinSet(Set(Status::kFail, "compare", "known"), "domain", record);
  JoinFreshDraw(Set(Status::kFail, "compare", "wrong"), kFresh, record);
  EXPECT_EQ(record.diagnostic, "known");
  EXPECT_EQ(record.fixed.status, Status::kMissing);
  EXPECT_EQ(record.sets.back().status, Status::kFail);
  EXPECT_EQ(ReproOptionsOf(record, {{"domain", "domain"}}).fresh_seed, std::nullopt);
}

TEST(FreshDrawJoinedTest, AReferenceThatFailsInItSaysNothingOfTheCase) {
  CaseRecord record = Compiled();
  JoinSet(Set(Status::kPass), "domain", record);
  CaseRecord skipped = Set(Status::kSkipped, "inputs", "no inputs");
  skipped.reference = Status::kTimeout;
  JoinFreshDraw(std::move(skipped), kFresh, record);
  EXPECT_EQ(record.status, Status::kPass);
  EXPECT_EQ(record.reference, Status::kPass);
}

}  // namespace
}  // namespace opbyop::harness
