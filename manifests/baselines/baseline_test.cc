// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/baselines/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manifests/formats/glob.h"
#include "support/files/file.h"

namespace opbyop {
namespace {

using testing::HasSubstr;

RunHeader RunOf(const std::string& policies, const std::string& toolchain = "") {
  RunHeader run;
  run.policy = policies;
  run.toolchain = toolchain;
  return run;
}

RunHeader CompiledOnly() {
  RunHeader run = RunOf("domain");
  run.compile_only = "no device";
  return run;
}

class BaselineTest : public testing::Test {
 protected:
  Expected<Baseline> Load(const std::string& entries) {
    const auto path = std::filesystem::path(testing::TempDir()) / "baseline.yaml";
    EXPECT_TRUE(WriteFile(path, "schema: opbyop-baseline/1\ntarget: host\nentries:\n" + entries));
    return LoadBaseline(path);
  }

  Case case_{.id = "fft_4_f32_00000000", .op = "stablehlo.fft", .outputs = {{{4}, "f32"}}};
  Row row_{&case_, "bert"};
};

TEST_F(BaselineTest, ARowThatFailsAsItsEntrySaysIsExpected) {
  const auto baseline = Load("- {id: 'bert__fft*', stage: execute, status: fail, reason: no kernel}\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_EQ(baseline->Judge(row_, {Status::kFail, "execute"}), Status::kExpectedFail);
}

TEST_F(BaselineTest, AnotherStageOrStatusStaysAFailure) {
  const auto baseline = Load("- {op: stablehlo.fft, stage: execute, status: fail, reason: no kernel}\n");
  EXPECT_EQ(baseline->Judge(row_, {Status::kFail, "compare"}), Status::kFail);
  EXPECT_EQ(baseline->Judge(row_, {Status::kCrash, "execute"}), Status::kCrash);
}

TEST_F(BaselineTest, APassIsUnexpected) {
  const auto baseline = Load("- {dtype: f32, stage: execute, status: fail, reason: no kernel}\n");
  EXPECT_EQ(baseline->Judge(row_, {Status::kPass, ""}), Status::kUnexpectedPass);
}

TEST_F(BaselineTest, ARowThatIsKnownToBeFlakyMayPassAtOnceOrWhenTriedAgainAndNotFail) {
  const auto baseline = Load("- {op: stablehlo.fft, stage: compare, status: flaky, diagnostic: got 0, reason: r}\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_EQ(baseline->Judge(row_, {Status::kPass, ""}), Status::kPass);
  const auto flaky = [&](const char* stage, const char* diagnostic) {
    return baseline->Judge(row_, {Status::kFlaky, stage, diagnostic});
  };
  EXPECT_EQ(flaky("compare", "fail in stage compare (got 0), then pass alone"), Status::kExpectedFail);
  EXPECT_EQ(flaky("compare", "fail in stage compare (got 1), then pass alone"), Status::kFlaky);
  EXPECT_EQ(flaky("execute", "got 0"), Status::kFlaky);
  EXPECT_EQ(baseline->Judge(row_, {Status::kFail, "compare", "got 0"}), Status::kFail);
}

TEST_F(BaselineTest, ARowThatMustFailMayAlsoBeKnownToBeFlaky) {
  const auto baseline = Load(
      "- {op: stablehlo.fft, stage: compare, status: fail, reason: r}\n"
      "- {op: stablehlo.fft, stage: compare, status: flaky, reason: r}\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_EQ(baseline->Judge(row_, {Status::kFail, "compare"}), Status::kExpectedFail);
  EXPECT_EQ(baseline->Judge(row_, {Status::kFlaky, "compare"}), Status::kExpectedFail);
  EXPECT_EQ(baseline->Judge(row_, {Status::kPass, ""}), Status::kUnexpectedPass);
}

TEST_F(BaselineTest, ARowThatMayPassIsExpectedToFailAsSaidOrToPassWhichProvesNothing) {
  const auto baseline = Load("- {op: stablehlo.fft, stage: execute, status: timeout, may_pass: true, reason: r}\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_EQ(baseline->Judge(row_, {Status::kTimeout, "execute"}), Status::kExpectedFail);
  EXPECT_EQ(baseline->Judge(row_, {Status::kPass, "compare"}), Status::kInconclusive);
  EXPECT_EQ(MayPassText(baseline->entries[0]), "passed; the baseline allows timeout in execute as well: r");
  for (const auto& [status, stage] : {std::pair(Status::kTimeout, "load"), std::pair(Status::kCrash, "execute"),
                                      std::pair(Status::kFail, "compare")}) {
    EXPECT_EQ(baseline->Judge(row_, {status, stage}), status) << stage;
  }
}

TEST_F(BaselineTest, ARowThatMayPassMayAlsoFailAsSaidAtFirstAndThenPass) {
  const auto baseline = Load("- {op: stablehlo.fft, stage: execute, status: timeout, may_pass: true, reason: r}\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  const auto flaky = [&](const char* stage, Status first) {
    return baseline->Judge(row_, {Status::kFlaky, stage, "then pass alone", {}, first});
  };
  EXPECT_EQ(flaky("execute", Status::kTimeout), Status::kExpectedFail);
  EXPECT_EQ(flaky("execute", Status::kCrash), Status::kFlaky);
  EXPECT_EQ(flaky("load", Status::kTimeout), Status::kFlaky);
}

TEST_F(BaselineTest, ARowThatMustFailElsewhereMayNotPass) {
  const auto baseline = Load(
      "- {op: stablehlo.fft, stage: execute, status: timeout, may_pass: true, reason: slow}\n"
      "- {op: stablehlo.fft, stage: compare, status: fail, reason: wrong}\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_EQ(baseline->Judge(row_, {Status::kPass, ""}), Status::kUnexpectedPass);
  EXPECT_EQ(baseline->Find(row_, {Status::kPass, ""})->reason, "wrong");
  EXPECT_EQ(baseline->Judge(row_, {Status::kTimeout, "execute"}), Status::kExpectedFail);
}

TEST_F(BaselineTest, AnEntryThatAllowsAPassComesBeforeAFlakyOne) {
  const auto baseline = Load(
      "- {op: stablehlo.fft, stage: load, status: flaky, reason: flaky}\n"
      "- {op: stablehlo.fft, stage: execute, status: timeout, may_pass: true, reason: slow}\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_EQ(baseline->Judge(row_, {Status::kPass, ""}), Status::kInconclusive);
  EXPECT_EQ(baseline->Find(row_, {Status::kPass, ""})->reason, "slow");
}

TEST_F(BaselineTest, AnotherDiagnosticThanThatOfARowThatMayPassStaysRed) {
  const auto baseline =
      Load("- {op: stablehlo.fft, stage: compare, status: fail, may_pass: true, diagnostic: got 0, reason: r}\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_EQ(baseline->Judge(row_, {Status::kFail, "compare", "got 1"}), Status::kFail);
  const RowEnd end = {Status::kFlaky, "compare", "fail (got 1), then pass alone", {}, Status::kFail};
  EXPECT_EQ(baseline->Judge(row_, end), Status::kFlaky);
  EXPECT_THAT(OtherDiagnosticText(&baseline->entries[0], end), HasSubstr("not the diagnostic"));
}

// Returns the end of a row whose further draw failed.
RowEnd FoundFresh(Status status, RowEnd fixed) {
  RowEnd end = {status, "compare", "under edge#seed7: wrong", {"edge"}};
  end.failed_policies.insert(end.failed_policies.end(), fixed.failed_policies.begin(), fixed.failed_policies.end());
  end.fixed = std::make_shared<const RowEnd>(std::move(fixed));
  return end;
}

TEST_F(BaselineTest, AFailureInTheFurtherDrawIsRedIfTheRowMustPass) {
  const auto baseline = Load("floor: ['*']\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  const RowEnd end = FoundFresh(Status::kFail, {Status::kPass, "compare"});
  EXPECT_EQ(baseline->Judge(row_, end), Status::kFail);
  EXPECT_FALSE(baseline->IsRegression(row_, end)) << "with these inputs it was never run before";
}

TEST_F(BaselineTest, AFailureInTheFurtherDrawOfAPassingRowIsNotExpected) {
  const auto baseline = Load("- {op: stablehlo.fft, stage: compare, status: fail, reason: r}\n");
  EXPECT_EQ(baseline->Judge(row_, FoundFresh(Status::kFail, {Status::kPass, "compare"})), Status::kFail)
      << "it passes on the fixed seed";
}

TEST_F(BaselineTest, AKnownFailureIsExpectedInTheFurtherDrawToo) {
  const auto baseline = Load("- {op: stablehlo.fft, stage: compare, status: fail, reason: r}\n");
  EXPECT_EQ(baseline->Judge(row_, FoundFresh(Status::kFail, {Status::kFail, "compare", "known", {"domain"}})),
            Status::kExpectedFail);
  EXPECT_EQ(baseline->Judge(row_, FoundFresh(Status::kCrash, {Status::kFail, "compare", "known", {"domain"}})),
            Status::kCrash);
}

TEST_F(BaselineTest, AFailureThatIsKnownUnderAnotherPolicyIsNotThatOfTheFurtherDraw) {
  const auto baseline = Load("- {op: stablehlo.fft, stage: compare, status: fail, policies: [domain], reason: r}\n");
  EXPECT_EQ(baseline->Judge(row_, FoundFresh(Status::kFail, {Status::kFail, "compare", "known", {"domain"}})),
            Status::kFail);
}

TEST_F(BaselineTest, AnEntryThatMayPassCoversTheFurtherDraw) {
  const auto baseline =
      Load("- {op: stablehlo.fft, stage: compare, status: fail, may_pass: true, policies: [edge], reason: at times}\n");
  EXPECT_EQ(baseline->Judge(row_, FoundFresh(Status::kFail, {Status::kPass, "compare"})), Status::kExpectedFail);
  EXPECT_EQ(baseline->Judge(row_, {Status::kPass, "compare"}), Status::kInconclusive);
}

TEST_F(BaselineTest, TheEndOfARecordIncludesItsEndWithoutTheFurtherDraw) {
  CaseRecord record = {.status = Status::kFail, .stage = "compare", .diagnostic = "under edge#seed7: wrong"};
  record.sets = {{.policy = "domain", .status = Status::kPass}, {.policy = "edge#seed7", .status = Status::kFail}};
  record.fixed = {Status::kPass, "compare", ""};
  const RowEnd end = EndOf(record);
  EXPECT_EQ(end.failed_policies, std::vector<std::string>{"edge"});
  ASSERT_NE(end.fixed, nullptr);
  EXPECT_EQ(end.fixed->status, Status::kPass);
  EXPECT_TRUE(end.fixed->failed_policies.empty());
  record.sets.pop_back();
  EXPECT_EQ(EndOf(record).fixed, nullptr);
}

TEST_F(BaselineTest, ARowThatMayPassIsNotInTheFloor) {
  const auto baseline =
      Load("- {op: stablehlo.fft, stage: execute, status: timeout, may_pass: true, reason: r}\nfloor: ['*']\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_EQ(baseline->Judge(row_, {Status::kTimeout, "execute"}), Status::kExpectedFail);
  EXPECT_FALSE(baseline->IsRegression(row_, {Status::kTimeout}));
}

TEST_F(BaselineTest, MayPassIsABooleanOfAnEntryThatFails) {
  for (const char* entry : {"status: flaky, may_pass: true", "status: timeout, may_pass: sometimes"}) {
    const auto baseline = Load(std::string("- {op: stablehlo.fft, stage: execute, reason: r, ") + entry + "}\n");
    ASSERT_FALSE(baseline) << entry;
    EXPECT_THAT(baseline.error().message, HasSubstr("baseline.yaml:4")) << entry;
    EXPECT_THAT(baseline.error().message, HasSubstr("may_pass")) << entry;
  }
}

TEST_F(BaselineTest, AFailureUnderAnotherPolicyThanTheEntrysStaysAFailure) {
  const auto baseline = Load("- {op: stablehlo.fft, stage: compare, status: fail, policies: [edge], reason: r}\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_EQ(baseline->Judge(row_, {Status::kFail, "compare", "", {"edge"}}), Status::kExpectedFail);
  EXPECT_EQ(baseline->Judge(row_, {Status::kFail, "compare", "", {"sweep"}}), Status::kFail);
  EXPECT_EQ(baseline->Judge(row_, {Status::kFail, "compare", "", {"domain", "edge"}}), Status::kFail);
}

TEST_F(BaselineTest, AnEntryDoesNotApplyToARunWithoutItsPolicies) {
  auto baseline = Load("- {op: stablehlo.fft, stage: compare, status: fail, policies: [edge, sweep], reason: r}\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  baseline->KeepFor(RunOf("domain,sweep"));
  EXPECT_EQ(baseline->Judge(row_, {Status::kPass, ""}), Status::kUnexpectedPass);
  baseline->KeepFor(RunOf("domain,sparse"));
  EXPECT_EQ(baseline->Judge(row_, {Status::kPass, ""}), Status::kPass);
  EXPECT_EQ(baseline->Find(row_), nullptr);
}

TEST_F(BaselineTest, AnEntryWithoutPoliciesAppliesToEveryRun) {
  auto baseline = Load("- {op: stablehlo.fft, stage: compare, status: fail, reason: r}\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  baseline->KeepFor(RunOf("domain"));
  EXPECT_EQ(baseline->Judge(row_, {Status::kFail, "compare", "", {"domain"}}), Status::kExpectedFail);
}

TEST_F(BaselineTest, ARunThatOnlyCompiledIgnoresEntriesOfTheDevice) {
  auto baseline = Load("- {op: stablehlo.fft, stage: execute, status: fail, reason: r}\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  baseline->KeepFor(CompiledOnly());
  EXPECT_EQ(baseline->Judge(row_, {Status::kPass, ""}), Status::kPass);
  baseline = Load("- {op: stablehlo.fft, stage: lower, status: fail, reason: r}\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  baseline->KeepFor(CompiledOnly());
  EXPECT_EQ(baseline->Judge(row_, {Status::kPass, ""}), Status::kUnexpectedPass);
}

TEST_F(BaselineTest, AnEntryOfAToolchainAppliesToItsVersions) {
  const auto judged_with = [&](const char* toolchain) {
    auto baseline = Load("- {op: stablehlo.fft, stage: compare, status: fail, toolchain: '<0.12', reason: r}\n");
    EXPECT_TRUE(baseline) << baseline.error().message;
    baseline->KeepFor(RunOf("domain", toolchain));
    return baseline->Judge(row_, {Status::kFail, "compare", "", {"domain"}});
  };
  EXPECT_EQ(judged_with("jaxlib 0.10.2"), Status::kExpectedFail);
  EXPECT_EQ(judged_with("jaxlib 0.12.0.1"), Status::kFail);
  EXPECT_EQ(judged_with("a build of today"), Status::kFail);
}

TEST_F(BaselineTest, AToolchainThatIsNoRangeIsAnError) {
  const auto baseline = Load("- {op: stablehlo.fft, stage: compare, status: fail, toolchain: '0.12', reason: r}\n");
  ASSERT_FALSE(baseline);
  EXPECT_NE(baseline.error().message.find("`toolchain`: '0.12' is no range of versions"), std::string::npos);
}

TEST_F(BaselineTest, AnotherDiagnosticInTheSameStageStaysAFailure) {
  const auto baseline =
      Load("- {op: stablehlo.fft, stage: lower, status: crash, diagnostic: 'element type f8E\\dM', reason: r}\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_EQ(baseline->Judge(row_, {Status::kCrash, "lower", "died: element type f8E4M3FN."}), Status::kExpectedFail);
  EXPECT_EQ(baseline->Judge(row_, {Status::kCrash, "lower", "died: element type i4."}), Status::kCrash);
  EXPECT_EQ(baseline->Judge(row_, {Status::kCrash, "lower", "died\nelement type f8E4M3FN"}), Status::kCrash)
      << "reports have the first line alone";
  EXPECT_THAT(OtherDiagnosticText(&baseline->entries[0], {Status::kCrash, "lower", "died: element type i4."}),
              HasSubstr("element type i4"));
  EXPECT_EQ(OtherDiagnosticText(&baseline->entries[0], {Status::kFail, "lower", "i4"}), "");
}

TEST_F(BaselineTest, AnInvalidDiagnosticPatternIsAnErrorWithItsLine) {
  const auto baseline = Load("- {op: stablehlo.fft, stage: lower, status: fail, diagnostic: '(', reason: r}\n");
  ASSERT_FALSE(baseline);
  EXPECT_THAT(baseline.error().message, HasSubstr("baseline.yaml:4"));
}

TEST_F(BaselineTest, ARowMayFailInAnyOfTheWaysThatEntriesName) {
  const auto baseline = Load(
      "- {op: stablehlo.fft, stage: lower, status: fail, reason: a}\n"
      "- {op: stablehlo.fft, stage: execute, status: crash, reason: b}\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_EQ(baseline->Judge(row_, {Status::kCrash, "execute"}), Status::kExpectedFail);
  EXPECT_EQ(baseline->Find(row_, {Status::kCrash, "execute"})->reason, "b");
  EXPECT_EQ(baseline->Judge(row_, {Status::kCrash, "lower"}), Status::kCrash);
  EXPECT_EQ(baseline->Find(row_, {Status::kCrash, "lower"})->reason, "a");
}

TEST_F(BaselineTest, AnEntryOfSeveralIdsAppliesToEachAndNothingElse) {
  const auto baseline = Load("- {ids: ['vit__*', '*__fft_*'], stage: execute, status: fail, reason: r}\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_EQ(baseline->Judge(row_, {Status::kFail, "execute"}), Status::kExpectedFail);
  const auto checked = CheckBaseline(*baseline, {row_});
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("`vit__*` of this entry"));
  EXPECT_TRUE(CheckBaseline(*baseline, {row_, {&case_, "vit"}}));
  Case other = case_;
  other.id = "sort_4_f32_00000000";
  EXPECT_EQ(baseline->Find({&other, "bert"}), nullptr);
}

TEST_F(BaselineTest, EntryWithoutReasonIsAnErrorWithItsLine) {
  const auto baseline = Load("- {op: stablehlo.fft, stage: execute, status: fail}\n");
  ASSERT_FALSE(baseline);
  EXPECT_THAT(baseline.error().message, HasSubstr("baseline.yaml:4"));
  EXPECT_THAT(baseline.error().message, HasSubstr("reason"));
}

TEST_F(BaselineTest, EntryThatMatchesNothingIsAnError) {
  const auto baseline = Load("- {op: stablehlo.sort, stage: execute, status: fail, reason: r}\n");
  ASSERT_TRUE(baseline);
  const auto checked = CheckBaseline(*baseline, {row_});
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("baseline.yaml:4"));
}

TEST_F(BaselineTest, EntriesMayMatchNothingIfAModelOfTheBaselineIsAbsent) {
  const auto baseline = Load("- {op: stablehlo.sort, stage: execute, status: fail, reason: r}\nmodels: [bert, vit]\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_TRUE(CheckBaseline(*baseline, {row_}));
  EXPECT_FALSE(CheckBaseline(*baseline, {row_, {&case_, "vit"}}));
}

TEST_F(BaselineTest, ARowOfTheFloorThatBecomesUnjudgedFails) {
  const auto baseline = Load("[]\nfloor: ['bert__fft_4_f32_00000000', 'vit__*']\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  for (const Row& row : {row_, Row{&case_, "vit"}}) {
    for (const Status status : {Status::kUnsupported, Status::kInconclusive, Status::kSkipped}) {
      EXPECT_TRUE(baseline->IsRegression(row, {status})) << row.model;
      EXPECT_EQ(baseline->Judge(row, {status, "lower"}), Status::kFail) << row.model;
    }
    EXPECT_TRUE(baseline->IsRegression(row, {Status::kCrash}));
    EXPECT_EQ(baseline->Judge(row, {Status::kCrash, "lower"}), Status::kCrash) << "red as it is";
    EXPECT_FALSE(baseline->IsRegression(row, {Status::kPass}));
    EXPECT_EQ(baseline->Judge(row, {Status::kPass, ""}), Status::kPass);
  }
  EXPECT_EQ(baseline->Judge({&case_, "gpt"}, {Status::kUnsupported, "lower"}), Status::kUnsupported);
}

TEST_F(BaselineTest, AFailureOfTheReferenceIsNoRegressionOfTheFloor) {
  const auto baseline = Load("[]\nfloor: ['*']\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  RowEnd end{.status = Status::kSkipped, .stage = "inputs", .reference = Status::kTimeout};
  EXPECT_FALSE(baseline->IsRegression(row_, end));
  EXPECT_EQ(baseline->Judge(row_, end), Status::kSkipped);
  end.status = Status::kFail;
  EXPECT_TRUE(baseline->IsRegression(row_, end)) << "the target failed under another policy";
}

TEST_F(BaselineTest, AnEntryTakesARowOutOfTheFloor) {
  const auto baseline = Load("- {op: stablehlo.fft, stage: execute, status: fail, reason: no kernel}\nfloor: ['*']\n");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_EQ(baseline->Judge(row_, {Status::kFail, "execute"}), Status::kExpectedFail);
  EXPECT_FALSE(baseline->IsRegression(row_, {Status::kFail}));
}

TEST_F(BaselineTest, ALineOfTheFloorThatMatchesNothingIsAnError) {
  for (const char* line : {"bert__gone", "nosuch__*"}) {
    const auto baseline = Load(std::string("[]\nfloor: ['") + line + "']\n");
    ASSERT_TRUE(baseline) << baseline.error().message;
    const auto checked = CheckBaseline(*baseline, {row_});
    ASSERT_FALSE(checked) << line;
    EXPECT_THAT(checked.error().message, HasSubstr(line));
  }
}

class SameAsTest : public BaselineTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Load("- {op: stablehlo.fft, stage: compile, status: fail, reason: no kernel}\n"));
  }

  Expected<Baseline> LoadSameAs(const std::string& file, const std::string& more = "") {
    const auto path = std::filesystem::path(testing::TempDir()) / "other.yaml";
    EXPECT_TRUE(WriteFile(path, "schema: opbyop-baseline/1\ntarget: other\nsame_as: " + file + "\n" + more));
    return LoadBaseline(path);
  }
};

TEST_F(SameAsTest, ATargetOfTheSameCompilerHasTheEntriesOfAnother) {
  const auto baseline = LoadSameAs("baseline.yaml");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_EQ(baseline->target, "other");
  EXPECT_EQ(baseline->path.filename(), "baseline.yaml");
  EXPECT_EQ(baseline->Judge(row_, {Status::kFail, "compile"}), Status::kExpectedFail);
}

TEST_F(SameAsTest, AFileThatIsAbsentOrHasNoEntriesOfItsOwnIsAnError) {
  for (const char* file : {"gone.yaml", "other.yaml"}) {
    const auto baseline = LoadSameAs(file);
    ASSERT_FALSE(baseline) << file;
    EXPECT_THAT(baseline.error().message, HasSubstr("other.yaml:3: `same_as`: "));
    EXPECT_THAT(baseline.error().message, HasSubstr(file));
  }
}

TEST_F(SameAsTest, EntriesBesideItAreAnError) {
  const auto baseline = LoadSameAs("baseline.yaml", "floor: ['bert__*']\n");
  ASSERT_FALSE(baseline);
  EXPECT_THAT(baseline.error().message, HasSubstr("in the place of `entries` and `floor`"));
}

TEST(BaselineEntryTest, NamesOwnerAndIssue) {
  const Expected<Baseline> baseline = ParseBaseline(
      "schema: opbyop-baseline/1\ntarget: host\nentries:\n"
      "  - {op: stablehlo.fft, stage: lower, status: fail, reason: no kernel, issue: \"https://example.org/1\", owner: "
      "ana}\n",
      "host.yaml");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_EQ(baseline->entries.front().owner, "ana");
  EXPECT_EQ(baseline->entries.front().issue, "https://example.org/1");
}

TEST(BaselineNameTest, EachKindOfRunHasItsOwn) {
  EXPECT_EQ(BaselineName("iree", Manifest{}), "iree");
  EXPECT_EQ(BaselineName("iree", Manifest{.suite = SuiteInfo{"stablehlo", "1.0", "smoke"}}), "iree-stablehlo-smoke");
  EXPECT_EQ(BaselineName("iree", Manifest{.cases = {Case{.op = "model"}}}), "iree-whole");
}

TEST(GlobTest, StarsAndQuestionMarks) {
  EXPECT_TRUE(GlobMatches("a*c?e", "abbcde"));
  EXPECT_TRUE(GlobMatches("*", ""));
  EXPECT_FALSE(GlobMatches("a*b", "ac"));
  EXPECT_FALSE(GlobMatches("", "a"));
}

}  // namespace
}  // namespace opbyop
