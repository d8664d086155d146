// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/summary/baseline_update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/view/example_run.h"
#include "reports/view/fingerprint.h"
#include "support/text/pattern.h"

namespace opbyop::reports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kHead = "schema: opbyop-baseline/1\ntarget: host\n";

class BaselineUpdateTest : public testing::Test {
 protected:
  BaselineUpdateTest() {
    example_.run.header.start = "2026-11-23T10:00:00.000000+00:00";
    example_.run.header.policy = "domain,edge";
  }

  void Add(const std::string& id, const std::string& op, Status status, const std::string& stage,
           const std::string& diagnostic) {
    example_.AddCase(id, "stablehlo." + op, {"bert", "nn"});
    example_.AddRecord(id, status, stage, diagnostic);
  }

  BaselineUpdate Update(const std::string& entries) {
    Expected<BaselineUpdate> update = UpdateEntries(example_.MakeView(), "b.yaml", kHead + entries);
    EXPECT_TRUE(update) << update.error().message;
    return update ? *update : BaselineUpdate();
  }

  // Checks that the baseline matches every failure, and nothing else.
  void ExpectGreen(const BaselineUpdate& update) {
    const Expected<Baseline> baseline = ParseBaseline(update.text, "b.yaml");
    ASSERT_TRUE(baseline) << baseline.error().message << update.text;
    example_.baseline = *baseline;
    for (const RowResult& row : example_.MakeView().rows)
      EXPECT_FALSE(IsProblem(row.status)) << row.name << update.text;
    EXPECT_TRUE(CheckBaseline(*baseline, Rows(example_.manifest))) << update.text;
  }

  ExampleRun example_;
};

TEST_F(BaselineUpdateTest, FailuresOfOneCauseAreOneEntryWithItsDiagnostic) {
  Add("sine_4_f8_1", "sine", Status::kCrash, "lower", "opt died: f8E4M3FN has no tile (at /b/1/Utils.h:49!)");
  Add("sine_9_f8_2", "sine", Status::kCrash, "lower", "opt died: f8E4M3FN has no tile (at /b/2/Utils.h:51!)");
  Add("sine_4_i4_3", "sine", Status::kCrash, "lower", "opt died: i4 has no tile (at /b/1/Utils.h:49!)");
  Add("add_4_f32_4", "add", Status::kPass, "compare", "");
  const BaselineUpdate update = Update("");
  EXPECT_EQ(update.added, 2);
  EXPECT_EQ(update.rows, 6);
  EXPECT_THAT(update.text, HasSubstr("- ids:\n  - '*__sine_4_f8_1'\n  - '*__sine_9_f8_2'\n  stage: lower\n"
                                     "  status: crash\n  diagnostic: 'opt died: f8E4M3FN has no tile"));
  EXPECT_THAT(update.text,
              HasSubstr("reason: 'opt died: i4 has no tile (at /b/1/Utils.h:49!)'\n  since: 2026-11-23\n"));
  ExpectGreen(update);
}

TEST_F(BaselineUpdateTest, AnotherCrashOfTheSameRowIsRedUnderIt) {
  Add("sine_4_f8_1", "sine", Status::kCrash, "lower", "opt died: f8E4M3FN has no tile");
  const Expected<Baseline> baseline = ParseBaseline(Update("").text, "b.yaml");
  ASSERT_TRUE(baseline);
  example_.baseline = *baseline;
  example_.run.cases[0].diagnostic = "opt died: out of registers";
  const View view = example_.MakeView();
  EXPECT_EQ(view.rows[0].status, Status::kCrash);
  EXPECT_THAT(view.rows[0].diagnostic, HasSubstr("not the diagnostic that the baseline expects"));
}

TEST_F(BaselineUpdateTest, EntriesThatTheRunConfirmsStayAsWritten) {
  Add("sine_4_f8_1", "sine", Status::kCrash, "lower", "no tile");
  Add("cosine_4_f8_1", "cosine", Status::kFail, "load", "no room");
  const std::string entries =
      "entries:  # of the nightly\n"
      "# sines\n"
      "- {op: stablehlo.sine, stage: lower, status: crash,\n   reason: \"no tile: see #7\"}\n"
      "\n# what must pass\nfloor:\n  - gone__*\n";
  const BaselineUpdate update = Update(entries);
  EXPECT_EQ(update.kept, 1);
  EXPECT_EQ(update.added, 1);
  const size_t at = update.text.find("- id: '*__cosine_4_f8_1'");
  ASSERT_NE(at, std::string::npos) << update.text;
  std::string without = update.text;
  without.erase(at, update.text.find("\n\n# what must pass") + 1 - at);
  EXPECT_EQ(without, kHead + entries);
}

TEST_F(BaselineUpdateTest, AnEntryWhoseRowsPassOrFailOtherwiseIsRemoved) {
  Add("sine_4_f32_1", "sine", Status::kPass, "compare", "");
  Add("tanh_4_f32_1", "tanh", Status::kFail, "load", "no room");
  const BaselineUpdate update = Update(
      "entries:\n"
      "  - id: '*__sine_*'\n    stage: lower\n    status: crash\n    reason: r\n"
      "  - {id: '*__tanh_*', stage: lower, status: crash, reason: other}\n");
  EXPECT_EQ(update.removed, 2);
  EXPECT_EQ(update.added, 1);
  EXPECT_THAT(update.text, Not(HasSubstr("other")));
  ExpectGreen(update);
}

TEST_F(BaselineUpdateTest, AnEntryIsNarrowedToTheRowsThatFailAndKeepsItsReason) {
  Add("sine_4_f32_1", "sine", Status::kPass, "compare", "");
  Add("sine_9_f32_2", "sine", Status::kFail, "lower", "no tile");
  const BaselineUpdate update = Update(
      "entries:\n- {op: stablehlo.sine, stage: lower, status: fail, reason: 'it''s known', issue: u, since: "
      "2026-01-01}\n");
  EXPECT_EQ(update.narrowed, 1);
  EXPECT_EQ(update.added, 0);
  EXPECT_THAT(update.text,
              HasSubstr("- id: '*__sine_9_f32_2'\n  stage: lower\n  status: fail\n  reason: 'it''s known'\n"
                        "  issue: 'u'\n  since: 2026-01-01\n"));
  ExpectGreen(update);
}

TEST_F(BaselineUpdateTest, EntriesThatTheRunCannotJudgeStay) {
  Add("sine_4_f32_1", "sine", Status::kPass, "compare", "");
  example_.AddCase("tanh_4_f32_1", "stablehlo.tanh", {"bert"});
  example_.run.complete = false;
  const std::string entries =
      "entries:\n"
      "- {id: '*__tanh_*', stage: lower, status: fail, reason: was not run}\n"
      "- {id: '*__sine_*', stage: compare, status: fail, policies: [sweep], reason: another policy}\n";
  const BaselineUpdate update = Update(entries);
  EXPECT_EQ(update.kept, 2);
  EXPECT_EQ(update.text, kHead + entries);
  EXPECT_THAT(update.still_red, ElementsAre("bert__tanh_4_f32_1"));
}

TEST_F(BaselineUpdateTest, ARunWithoutADeviceDoesNotJudgeDeviceEntries) {
  Add("sine_4_f32_1", "sine", Status::kPass, "lower", "");
  example_.run.header.compile_only = "no board";
  EXPECT_EQ(Update("entries:\n- {id: '*', stage: execute, status: fail, reason: r}\n").kept, 1);
}

TEST_F(BaselineUpdateTest, ARunOfAnotherVersionDoesNotJudgeEntriesOfAToolchain) {
  Add("sine_4_f32_1", "sine", Status::kPass, "compare", "");
  example_.run.header.toolchain = "jaxlib 0.12.0";
  const std::string entry = "entries:\n- {id: '*', stage: compare, status: fail, toolchain: '<0.12', reason: r}\n";
  EXPECT_EQ(Update(entry).text, kHead + entry);
  example_.run.header.toolchain = "jaxlib 0.11.0";
  EXPECT_EQ(Update(entry).removed, 1);
}

TEST_F(BaselineUpdateTest, APolicyIsNamedIfNotAllFail) {
  Add("sine_4_f32_1", "sine", Status::kFail, "compare", "output 0: 3 of 4 elements");
  example_.run.cases[0].sets = {{"domain", 0, Status::kPass, "compare"}, {"edge", 0, Status::kFail, "compare"}};
  Add("tanh_4_f32_1", "tanh", Status::kFail, "compare", "output 0: 3 of 4 elements");
  example_.run.cases[1].sets = {{"domain", 0, Status::kFail, "compare"}, {"edge", 0, Status::kFail, "compare"}};
  const BaselineUpdate update = Update("");
  EXPECT_THAT(update.text, HasSubstr("- id: '*__sine_4_f32_1'\n  stage: compare\n  status: fail\n  policies: [edge]\n"
                                     "  reason: 'output 0: 3 of 4 elements'\n"));
  EXPECT_THAT(update.text, HasSubstr("- id: '*__tanh_4_f32_1'\n  stage: compare\n  status: fail\n  reason: "));
  ExpectGreen(update);
}

TEST_F(BaselineUpdateTest, AFailureOfOnlyTheFreshDrawMayPassAnotherNight) {
  Add("sine_4_f32_1", "sine", Status::kFail, "compare", "under edge#seed7: wrong");
  CaseRecord& record = example_.run.cases.back();
  record.sets = {{.policy = "domain", .status = Status::kPass},
                 {.policy = "edge", .status = Status::kPass},
                 {.policy = "edge#seed7", .status = Status::kFail}};
  record.fixed = {Status::kPass, "compare", ""};
  const BaselineUpdate update = Update("");
  EXPECT_THAT(update.text, HasSubstr("  status: fail\n  may_pass: true\n  policies: [edge]\n"));
  ExpectGreen(update);
  const BaselineUpdate again = Update("entries:\n- {op: stablehlo.sine, stage: compare, status: fail, reason: r}\n");
  EXPECT_EQ(again.removed, 1) << "it passes on the fixed seed";
  ExpectGreen(again);
}

TEST_F(BaselineUpdateTest, AKnownFailureStaysOneIfTheFreshDrawEndsWorse) {
  Add("sine_4_f32_1", "sine", Status::kCrash, "execute", "under edge#seed7: died");
  CaseRecord& record = example_.run.cases.back();
  record.sets = {{.policy = "domain", .status = Status::kFail}, {.policy = "edge#seed7", .status = Status::kCrash}};
  record.fixed = {Status::kFail, "compare", "wrong"};
  const BaselineUpdate update = Update("entries:\n- {op: stablehlo.sine, stage: compare, status: fail, reason: r}\n");
  EXPECT_EQ(update.kept, 1);
  EXPECT_EQ(update.added, 0);
  EXPECT_EQ(update.still_red.size(), 2u);
}

TEST_F(BaselineUpdateTest, NoEntryMatchesAFlakyRow) {
  Add("sine_4_f32_1", "sine", Status::kFlaky, "execute", "died once");
  const BaselineUpdate update = Update("entries: []\n");
  EXPECT_EQ(update.added, 0);
  EXPECT_EQ(update.text, std::string(kHead) + "entries: []\n");
  EXPECT_THAT(update.still_red, ElementsAre("bert__sine_4_f32_1", "nn__sine_4_f32_1"));
}

TEST_F(BaselineUpdateTest, AnEntryOfRowsThatMayPassStaysHoweverManyDo) {
  Add("sine_4_f32_1", "sine", Status::kPass, "compare", "");
  Add("sine_9_f32_2", "sine", Status::kTimeout, "execute", "no end of stage");
  Add("sine_9_f32_3", "sine", Status::kFlaky, "execute", "timeout in stage execute, then pass alone");
  example_.run.cases.back().first_attempt = {Status::kTimeout, "execute", "no end of stage"};
  Add("cosine_4_f32_1", "cosine", Status::kPass, "compare", "");
  const std::string entries =
      "entries:\n"
      "- {op: stablehlo.sine, stage: execute, status: timeout, may_pass: true, reason: slow}\n"
      "- {op: stablehlo.cosine, stage: execute, status: timeout, may_pass: true, reason: slow}\n";
  const BaselineUpdate update = Update(entries);
  EXPECT_EQ(update.kept, 2);
  EXPECT_EQ(update.text, kHead + entries);
  EXPECT_THAT(update.still_red, IsEmpty());
  ExpectGreen(update);
}

TEST_F(BaselineUpdateTest, AnEntryOfRowsThatMayPassIsRemovedIfNoneDoesOrFailsAsSaid) {
  Add("sine_4_f32_1", "sine", Status::kPass, "compare", "");
  Add("sine_9_f32_2", "sine", Status::kFail, "compare", "output 0: 3 of 4 elements");
  const BaselineUpdate update = Update(
      "entries:\n- {op: stablehlo.sine, stage: execute, status: timeout, may_pass: true, reason: slow}\n"
      "- {id: '*__sine_9*', stage: load, status: crash, may_pass: true, reason: died}\n");
  EXPECT_EQ(update.removed, 1);
  EXPECT_EQ(update.added, 1);
  EXPECT_THAT(update.text, HasSubstr("may_pass: true, reason: slow"));
  EXPECT_THAT(update.text, Not(HasSubstr("died")));
  ExpectGreen(update);
}

TEST_F(BaselineUpdateTest, EntriesThatAreNotALineEachAreLeftToAPerson) {
  Add("sine_4_f32_1", "sine", Status::kPass, "compare", "");
  const auto update = UpdateEntries(
      example_.MakeView(), "b.yaml",
      std::string(kHead) + "entries: [{id: '*', stage: lower, status: fail, reason: r, policies: [sweep]}]\n");
  ASSERT_FALSE(update);
  EXPECT_THAT(update.error().message, HasSubstr("b.yaml: its entries cannot be changed line by line"));
}

TEST_F(BaselineUpdateTest, HostileDiagnosticsAreWrittenSoThatTheyAreReadBack) {
  const std::string hostile = "': {}[]#&*!|>'\"%@` \\ (a|b)* ^$ {op} {case} # -12 tensor<4x> /x/y z: - \xff\xc3\xa9";
  Add("sine_4_f32_1", "sine", Status::kCrash, "lower", hostile);
  Add("tanh_4_f32_1", "tanh", Status::kFail, "lower", "- " + hostile);
  const BaselineUpdate update = Update("");
  EXPECT_EQ(update.added, 2);
  ExpectGreen(update);
}

TEST(PatternOfTest, MatchesDiagnosticsWithTheFingerprint) {
  for (const char* text : {"case.mlir:2:8: error: failed to legalize operation 'stablehlo.sine'",
                           "no kernel for tensor<4xcomplex<f32>, #enc<1>> here", "offset -3 (+1.5e-07) [a]{2}?",
                           "opt: /b/x/Utils.h:49: T f(T) [T = long]: Assertion `a && \"b\"' failed."}) {
    const auto pattern = Pattern::Compile(PatternOf(Fingerprint(text, "sine_2_f32_1", "stablehlo.sine")));
    ASSERT_TRUE(pattern) << pattern.error().message;
    EXPECT_TRUE(pattern->IsFoundIn(text)) << text;
    EXPECT_FALSE(pattern->IsFoundIn("another error")) << text;
  }
}

}  // namespace
}  // namespace opbyop::reports
