// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <span>
#include <vector>

#include "support/files/file.h"
#include "support/files/npy.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

using testing::HasSubstr;
using testing::Not;

CaseRecord Passing() {
  CaseRecord record;
  record.status = Status::kPass;
  record.stages = {{"parse", Status::kPass, 1, ""}, {"compare", Status::kPass, 1, ""}};
  return record;
}

Answer Compared(std::vector<Comparison> comparisons) {
  Answer answer;
  answer.stage = "compare";
  answer.fields.comparisons = std::move(comparisons);
  return answer;
}

Case VectorCase(std::string dtype = "f32") {
  Case c;
  c.id = "a";
  c.inputs = {{{4}, dtype}};
  c.outputs = {{{4}, dtype}};
  return c;
}

Comparison Accepted(bool constant) {
  Comparison comparison;
  comparison.dtype = "f32";
  comparison.elements = 4;
  comparison.constant = constant;
  return comparison;
}

TEST(VerdictTest, APassWithoutARequiredStageIsAFailure) {
  CaseRecord record = Passing();
  RequireStages({"parse", "lower"}, record);
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.stage, "lower");
  EXPECT_THAT(record.diagnostic, HasSubstr("never reported stage lower"));
}

Answer ReleasedBy(Status status, bool died) {
  Answer answer;
  answer.status = status;
  answer.died = died;
  answer.stage = "execute";
  answer.diagnostic = "why";
  return answer;
}

TEST(VerdictTest, ADeathWhileReleasingAPassFailsThatCase) {
  CaseRecord record = Passing();
  record.stages.push_back({"execute", Status::kPass, 1, ""});
  ApplyRelease(ReleasedBy(Status::kTimeout, true), record);
  EXPECT_EQ(record.status, Status::kTimeout);
  EXPECT_EQ(record.stage, "execute");
  EXPECT_EQ(record.stages.back().status, Status::kTimeout);
  EXPECT_EQ(record.diagnostic, "timeout when its executable was released: why");
}

TEST(VerdictTest, AReleaseThatTheWorkerRefusesIsAFailure) {
  CaseRecord record = Passing();
  ApplyRelease(ReleasedBy(Status::kUnsupported, false), record);
  EXPECT_EQ(record.status, Status::kFail);
}

TEST(VerdictTest, AFailureBeforeTheReleaseIsKept) {
  CaseRecord record = Passing();
  record.status = Status::kFail;
  record.stage = "compare";
  record.diagnostic = "1 of 4 elements";
  ApplyRelease(ReleasedBy(Status::kCrash, true), record);
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.stage, "compare");
  EXPECT_EQ(record.diagnostic, "1 of 4 elements; crash when its executable was released: why");
}

TEST(VerdictTest, ADeathBeforeTheReleaseWasReadIsNotBlamedOnIt) {
  CaseRecord record = Passing();
  Answer answer = ReleasedBy(Status::kCrash, true);
  answer.unread = true;
  ApplyRelease(answer, record);
  EXPECT_EQ(record.status, Status::kPass);
}

const Breach kBreach = {"slice.C4", "strides are positive", "cases/valid.mlir"};

Answer Compiled(Status status, std::string diagnostic) {
  Answer answer;
  answer.status = status;
  answer.stage = "parse";
  answer.stages = {{"parse", status, 1, std::move(diagnostic)}};
  return answer;
}

CaseRecord Refused(const Answer& answer) {
  CaseRecord record;
  ApplyRefusal(answer, {"parse", "compile"}, kBreach, record);
  return record;
}

TEST(RefusalTest, ADiagnosticIsAPassThatKeepsIt) {
  for (const Status status : {Status::kFail, Status::kUnsupported}) {
    const CaseRecord record = Refused(Compiled(status, "a stride of 0"));
    EXPECT_EQ(record.status, Status::kPass);
    EXPECT_EQ(record.stage, "parse");
    EXPECT_EQ(record.diagnostic, "a stride of 0");
    ASSERT_EQ(record.stages.size(), 1u);
    EXPECT_EQ(record.stages[0].status, Status::kPass);
    EXPECT_EQ(record.stages[0].diagnostic, "a stride of 0");
  }
}

TEST(RefusalTest, AnAcceptedProgramIsAFailureOfTheLastStage) {
  Answer answer = Compiled(Status::kPass, "");
  answer.stages.push_back({"compile", Status::kPass, 1, ""});
  const CaseRecord record = Refused(answer);
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.stage, "compile");
  EXPECT_EQ(record.stages.back().status, Status::kFail);
  EXPECT_EQ(record.diagnostic, "accepted a program that breaks slice.C4: strides are positive");
}

// A worker that passes without a word has not refused.
TEST(RefusalTest, AnAcceptedProgramFailsWhateverStagesWereReported) {
  EXPECT_THAT(Refused(Compiled(Status::kPass, "")).diagnostic, HasSubstr("accepted a program"));
}

TEST(RefusalTest, ARefusalWithoutADiagnosticIsAFailure) {
  const CaseRecord record = Refused(Compiled(Status::kFail, ""));
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.stage, "parse");
  EXPECT_THAT(record.diagnostic, HasSubstr("without a word"));
}

TEST(RefusalTest, ADeathKeepsItsStatus) {
  for (const Status status : {Status::kCrash, Status::kTimeout, Status::kOutOfMemory}) {
    EXPECT_EQ(Refused(Compiled(status, "signal 11")).status, status);
  }
}

TEST(RefusalTest, NothingIsProvedIfTheValidProgramIsRefusedToo) {
  CaseRecord record = Refused(Compiled(Status::kUnsupported, "no slices"));
  RequireValidTwin("", record);
  EXPECT_EQ(record.status, Status::kPass);
  RequireValidTwin("unsupported in stage parse: no slices", record);
  EXPECT_EQ(record.status, Status::kInconclusive);
  EXPECT_EQ(record.diagnostic,
            "refused (no slices), but so is the program that breaks nothing: unsupported in stage parse: no slices");
}

TEST(VerdictTest, APassOverAFailedStageIsAFailure) {
  CaseRecord record = Passing();
  record.stages[0].status = Status::kFail;
  RequireStages({"parse"}, record);
  EXPECT_EQ(record.status, Status::kFail);
}

TEST(VerdictTest, NumbersCountMoreThanTheWorkersStatus) {
  CaseRecord record = Passing();
  Comparison wrong = Accepted(false);
  wrong.accepted = false;
  wrong.mismatches = 3;
  ApplyComparisons(Compared({wrong}), VectorCase(), record);
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.stage, "compare");
  EXPECT_EQ(record.stages[1].status, Status::kFail);
  EXPECT_THAT(record.diagnostic, HasSubstr("3 of 4"));
}

TEST(VerdictTest, ErrorsBeyondRoundingAreImprecise) {
  CaseRecord record = Passing();
  Comparison narrow = Accepted(false);
  narrow.precision_ratio = 12;
  ApplyComparisons(Compared({narrow}), VectorCase(), record);
  EXPECT_EQ(record.status, Status::kImprecise);
  EXPECT_EQ(record.stage, "compare");
  EXPECT_THAT(record.diagnostic, HasSubstr("12 x what rounding"));
}

TEST(VerdictTest, EveryOutputMustBeCompared) {
  CaseRecord record = Passing();
  ApplyComparisons(Compared({}), VectorCase(), record);
  EXPECT_EQ(record.status, Status::kInconclusive);
  EXPECT_EQ(record.reference, Status::kFail);
  EXPECT_THAT(record.diagnostic, HasSubstr("compared 0 of 1"));
}

TEST(VerdictTest, MoreComparisonsThanOutputsJudgeNothingAndAreNotKept) {
  CaseRecord record = Passing();
  ApplyComparisons(Compared(std::vector<Comparison>(1000, Accepted(false))), VectorCase(), record);
  EXPECT_EQ(record.status, Status::kInconclusive);
  EXPECT_EQ(record.diagnostic, "executed, not compared: the reference worker compared 1000 outputs, the case has 1");
  EXPECT_EQ(record.comparisons.size(), 1u);
}

TEST(VerdictTest, OneOutputComparedTwiceDoesNotStandForTwo) {
  Case c = VectorCase();
  c.outputs.Edit().push_back(c.outputs[0]);
  CaseRecord record = Passing();
  ApplyComparisons(Compared({Accepted(false), Accepted(false)}), c, record);
  EXPECT_EQ(record.diagnostic, "executed, not compared: the reference worker compared output 0 twice");
}

TEST(VerdictTest, AReferenceThatCannotJudgeDoesNotMakeTheTargetUnsupported) {
  CaseRecord record = Passing();
  Answer answer;
  answer.status = Status::kUnsupported;
  answer.diagnostic = "no eval for fft";
  ApplyCompare(answer, VectorCase(), record);
  EXPECT_EQ(record.status, Status::kInconclusive);
  EXPECT_EQ(record.reference, Status::kPass) << "it did not fail";
  EXPECT_EQ(record.diagnostic, "executed, not compared: no eval for fft");
}

Answer EndedBy(Status status, bool died, std::string stage) {
  Answer answer = ReleasedBy(status, died);
  answer.stage = stage;
  answer.signal = died ? 11 : 0;
  answer.stages = {{std::move(stage), status, 1, "why"}};
  return answer;
}

TEST(VerdictTest, NoEndOfTheReferenceMakesACaseRed) {
  for (const Status status : kAllStatuses) {
    if (!IsWorkerStatus(status) || status == Status::kPass) continue;
    for (const bool died : {false, true}) {
      CaseRecord drawn{.status = Status::kPass}, compared = drawn;
      ApplyInputs(EndedBy(status, died, "inputs"), drawn);
      EXPECT_EQ(drawn.status, Status::kSkipped) << ToString(status);
      EXPECT_EQ(drawn.stages.back().status, Status::kSkipped) << ToString(status);
      EXPECT_EQ(drawn.signal, 0);
      EXPECT_THAT(drawn.diagnostic, testing::EndsWith("why"));
      // A verdict without numbers says what the target did to the files of the case.
      const bool is_verdict = !died && (status == Status::kFail || status == Status::kImprecise);
      ApplyCompare(EndedBy(status, died, "compare"), VectorCase(), compared);
      EXPECT_EQ(compared.status, is_verdict ? status : Status::kInconclusive) << ToString(status);
      EXPECT_EQ(compared.reference != Status::kPass, IsFailure(status) && !is_verdict) << ToString(status);
    }
  }
}

TEST(VerdictTest, AReferenceThatDoesNotReportItsStageJudgesNothing) {
  CaseRecord record{.status = Status::kPass};
  ApplyCompare(Compared({Accepted(false)}), VectorCase(), record);
  EXPECT_EQ(record.status, Status::kInconclusive);
  EXPECT_EQ(record.reference, Status::kFail);
  EXPECT_THAT(record.diagnostic, HasSubstr("never reported stage compare"));
}

TEST(VerdictTest, InputsWithoutADigestOrAFileSkipTheSet) {
  TestFolder folder;
  CaseRecord vouched{.status = Status::kPass}, none = vouched;
  RequireInputs(VectorCase(), folder.path(), 1, vouched);
  EXPECT_EQ(vouched.status, Status::kPass) << "another process removed it, not the reference";
  RequireInputs(VectorCase(), folder.path(), 0, none);
  EXPECT_EQ(none.status, Status::kSkipped);
  EXPECT_EQ(none.reference, Status::kFail);
  EXPECT_THAT(none.diagnostic, HasSubstr("the reference worker left no input_0.npy"));
}

TEST(VerdictTest, OnlyADeadReferenceMayJudgeAtTheNextAttempt) {
  EXPECT_TRUE(MayPassOnRetry({.status = Status::kSkipped, .reference = Status::kCrash}));
  EXPECT_TRUE(MayPassOnRetry({.status = Status::kPass, .reference = Status::kCrash}));
  EXPECT_FALSE(MayPassOnRetry({.status = Status::kInconclusive, .reference = Status::kTimeout}));
  EXPECT_FALSE(MayPassOnRetry({.status = Status::kInconclusive, .reference = Status::kOutOfMemory}));
  EXPECT_FALSE(MayPassOnRetry({.status = Status::kSkipped, .reference = Status::kFail}));
}

class RequireProofTest : public testing::Test {
 protected:
  // Returns the record of a pass whose only output holds these values.
  CaseRecord Judge(const Case& c, std::vector<float> values, bool constant) {
    EXPECT_TRUE(WriteNpy(folder_.path() / "output_0.npy", {{static_cast<int64_t>(values.size())}, "f32"},
                         std::as_bytes(std::span(values))));
    CaseRecord record = Passing();
    record.comparisons = {Accepted(constant)};
    record.comparisons[0].elements = static_cast<int64_t>(values.size());
    record.comparisons[0].dtype = c.outputs[0].dtype;
    RequireProof(c, folder_.path(), record);
    return record;
  }
  TestFolder folder_;
};

TEST_F(RequireProofTest, AnOrdinaryPassIsAPass) {
  EXPECT_EQ(Judge(VectorCase(), {1, 2, 3, 4}, false).status, Status::kPass);
}

TEST_F(RequireProofTest, ZerosEverywhereProveNothing) {
  const CaseRecord record = Judge(VectorCase(), {0, 0, 0, 0}, true);
  EXPECT_EQ(record.status, Status::kInconclusive);
  EXPECT_THAT(record.diagnostic, HasSubstr("zero everywhere"));
}

TEST_F(RequireProofTest, ImaginaryPartsOfRealNumbersAreReportedAsZeroByDefinition) {
  Case c = VectorCase();
  c.op = "stablehlo.imag";
  const CaseRecord record = Judge(c, {0, 0, 0, 0}, true);
  EXPECT_EQ(record.status, Status::kInconclusive);
  EXPECT_THAT(record.diagnostic, HasSubstr("zero everywhere, by the specification and whatever the input"));
}

TEST_F(RequireProofTest, AnOutputThatNoProcessSendsIsReportedAsZeroByDefinition) {
  Case c = VectorCase();
  c.op = "stablehlo.collective_permute";
  c.attributes["source_target_pairs"] = "dense<0> : tensor<1x2xi64>";
  EXPECT_THAT(Judge(c, {0, 0, 0, 0}, true).diagnostic, Not(HasSubstr("by the specification")));
  c.attributes["source_target_pairs"] = "dense<> : tensor<0x2xi64>";
  EXPECT_THAT(Judge(c, {0, 0, 0, 0}, true).diagnostic, HasSubstr("by the specification"));
}

TEST_F(RequireProofTest, AnOutputThatIsAPipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo((folder_.path() / "output_0.npy").c_str(), 0600), 0);
  CaseRecord record = Passing();
  record.comparisons = {Accepted(true)};
  RequireProof(VectorCase(), folder_.path(), record);
  EXPECT_EQ(record.status, Status::kPass);
}

TEST_F(RequireProofTest, AnOutputOfAnotherSizeIsNotRead) {
  CaseRecord record = Passing();
  record.comparisons = {Accepted(true)};
  ASSERT_TRUE(WriteFile(folder_.path() / "output_0.npy", "x"));
  std::filesystem::resize_file(folder_.path() / "output_0.npy", uintmax_t{1} << 40);  // sparse
  RequireProof(VectorCase(), folder_.path(), record);
  EXPECT_EQ(record.status, Status::kPass);
}

TEST_F(RequireProofTest, ANonzeroConstantIsAPass) {
  EXPECT_EQ(Judge(VectorCase(), {5, 5, 5, 5}, true).status, Status::kPass);
}

TEST_F(RequireProofTest, PredicatesSinglesAndBroadcastsMayBeZero) {
  EXPECT_EQ(Judge(VectorCase("i1"), {0, 0, 0, 0}, true).status, Status::kPass);
  EXPECT_EQ(Judge(VectorCase(), {0}, true).status, Status::kPass);
  Case broadcast = VectorCase();
  broadcast.inputs.Edit()[0].shape = {};
  EXPECT_EQ(Judge(broadcast, {0, 0, 0, 0}, true).status, Status::kPass);
}

TEST_F(RequireProofTest, NoRuntimeInputProvesNothing) {
  Case c = VectorCase();
  c.no_runtime_input = true;
  EXPECT_EQ(Judge(c, {1, 2, 3, 4}, false).status, Status::kInconclusive);
}

TEST_F(RequireProofTest, RandomNumbersProveNothing) {
  CaseRecord record = Passing();
  record.comparisons = {Accepted(false)};
  record.comparisons[0].random = true;
  RequireProof(VectorCase(), folder_.path(), record);
  EXPECT_EQ(record.status, Status::kInconclusive);
}

TEST_F(RequireProofTest, ValuesWithoutABoundProveNothing) {
  CaseRecord record = Passing();
  record.comparisons = {Accepted(false)};
  record.comparisons[0].unbounded = 4;
  RequireProof(VectorCase(), folder_.path(), record);
  EXPECT_EQ(record.status, Status::kInconclusive);
  EXPECT_THAT(record.diagnostic, HasSubstr("finite bound"));
}

TEST_F(RequireProofTest, AnElementWithoutABoundIsCountedAndMakesThePassInconclusive) {
  CaseRecord record = Passing();
  record.comparisons = {Accepted(false), Accepted(false)};
  record.comparisons[1].output = 1;
  record.comparisons[1].unbounded = 3;
  RequireProof(VectorCase(), folder_.path(), record);
  EXPECT_EQ(record.status, Status::kInconclusive);
  EXPECT_THAT(record.diagnostic, HasSubstr("output 1: 3 of 4 elements have no finite bound"));
}

TEST_F(RequireProofTest, AnOutputJudgedByAWeakerCriterionIsAPass) {
  CaseRecord record = Passing();
  record.comparisons = {Accepted(false)};
  record.comparisons[0].unbounded = 4;
  record.comparisons[0].weak = true;
  RequireProof(VectorCase(), folder_.path(), record);
  EXPECT_EQ(record.status, Status::kPass);
}

TEST_F(RequireProofTest, AFailureStaysAFailure) {
  Case c = VectorCase();
  c.no_runtime_input = true;
  CaseRecord record = Passing();
  record.status = Status::kFail;
  RequireProof(c, folder_.path(), record);
  EXPECT_EQ(record.status, Status::kFail);
}

TEST(VerdictTest, AWorkerThatSavesNothingIsUnsupported) {
  CaseRecord record{.status = Status::kPass, .stage = "lower"};
  Answer answer;
  answer.fields.saved = true;
  RequireSaved(answer, "chip", record);
  EXPECT_EQ(record.status, Status::kPass);
  RequireSaved({}, "chip", record);
  EXPECT_EQ(record.status, Status::kUnsupported);
  EXPECT_EQ(record.stage, "lower");
  EXPECT_THAT(record.diagnostic, testing::HasSubstr("the worker of chip saves no artifacts"));
}

TEST(VerdictTest, AnUnknownOpIsInconclusiveOrUnsupported) {
  const auto judge = [](bool unknown, bool is_ir, Status status, const std::string& stage) {
    CaseRecord record{.status = status, .stage = stage, .diagnostic = "no such op"};
    JudgeUnknown({.op = "vendor.relu", .unknown = unknown}, is_ir, record);
    return record;
  };
  const CaseRecord forgiven = judge(true, false, Status::kFail, "lower");
  EXPECT_EQ(forgiven.status, Status::kUnsupported);
  EXPECT_EQ(forgiven.diagnostic, "vendor.relu is of a dialect that is not known here: no such op");
  EXPECT_EQ(judge(false, false, Status::kFail, "lower").status, Status::kFail);
  EXPECT_EQ(judge(true, true, Status::kFail, "lower").status, Status::kFail) << "its own IR";
  const CaseRecord compiled = judge(true, false, Status::kPass, "lower");
  EXPECT_EQ(compiled.status, Status::kInconclusive);
  EXPECT_EQ(compiled.diagnostic, "no meaning: vendor.relu is of a dialect that is not known here");
  EXPECT_EQ(judge(true, false, Status::kSkipped, "inputs").status, Status::kInconclusive);
  EXPECT_EQ(judge(true, true, Status::kPass, "lower").status, Status::kPass);
  EXPECT_EQ(judge(false, false, Status::kPass, "compare").status, Status::kPass);
  EXPECT_EQ(judge(true, false, Status::kCrash, "lower").status, Status::kCrash);
  EXPECT_EQ(judge(true, false, Status::kFail, "execute").status, Status::kFail);
}

TEST(VerdictTest, ACaseForMoreDevicesThanThereAreIsCompiledAndNotLoaded) {
  Case c;
  CaseRecord alone{.status = Status::kPass};
  RequireDevices(c, {.devices = 1}, alone);
  EXPECT_EQ(alone.status, Status::kPass);
  c.grid = {.partitions = 8};
  CaseRecord enough{.status = Status::kPass};
  RequireDevices(c, {.devices = 8}, enough);
  EXPECT_EQ(enough.status, Status::kPass);
  CaseRecord compiled{.status = Status::kPass};
  RequireDevices(c, {.devices = 1}, compiled);
  EXPECT_EQ(compiled.status, Status::kUnsupported);
  EXPECT_EQ(compiled.stage, kLoadStage);
  EXPECT_EQ(compiled.diagnostic, "needs 8 devices, has 1");
  CaseRecord refused{.status = Status::kFail, .stage = "lower", .diagnostic = "no"};
  RequireDevices(c, {.devices = 1}, refused);
  EXPECT_EQ(refused.status, Status::kFail) << "its compile stages are judged";
}

TEST(VerdictTest, AShardedCaseNeedsAWorkerThatDividesTensorsAmongItsDevices) {
  Case c;
  c.sharding = std::make_shared<const CaseSharding>(CaseSharding{.partitions = 8, .inputs = {}, .outputs = {}});
  const auto why = [&](const protocol::Hello& hello) {
    CaseRecord record{.status = Status::kPass};
    RequireDevices(c, hello, record);
    return record.diagnostic;
  };
  EXPECT_EQ(why({.devices = 8, .shardings = true}), "");
  EXPECT_EQ(why({.devices = 1, .shardings = true}), "needs 8 devices, has 1; split with --shards=local");
  EXPECT_EQ(why({.devices = 8}), "its worker divides no tensors among devices; split with --shards=local");
  c.op = kWholeModel;
  EXPECT_EQ(why({.devices = 1, .shardings = true}), "needs 8 devices, has 1; split with --shards=global");
}

TEST(VerdictTest, ACaseThatNamesProcessesWithoutAGridIsNotLoadedOnAnyNumberOfDevices) {
  Case c;
  c.processes = 4;
  CaseRecord record{.status = Status::kPass};
  RequireDevices(c, {.devices = 8}, record);
  EXPECT_EQ(record.status, Status::kUnsupported);
  EXPECT_EQ(record.diagnostic, "names 4 processes, and there is no grid on which it runs by itself");
}

TEST(VerdictTest, ACompilerIsNotBlamedForProcessesThatItWasNotAskedFor) {
  Case c;
  c.processes = 4;
  CaseRecord record{.status = Status::kCrash, .stage = "compile", .diagnostic = "died of SIGABRT"};
  RequireDevices(c, {.devices = 8}, record);
  EXPECT_EQ(record.status, Status::kUnsupported);
  EXPECT_EQ(record.stage, "compile");
  EXPECT_EQ(
      record.diagnostic,
      "names 4 processes, and there is no grid on which it runs by itself; compiled for one: crash in compile: died "
      "of SIGABRT");
}

TEST(VerdictTest, EveryOutputOfEveryProcessIsCompared) {
  Case c;
  c.outputs = {{{2}, "f32"}, {{2}, "f32"}};
  c.grid = {.partitions = 2};
  const auto judge = [&](const std::vector<std::pair<std::optional<int64_t>, int64_t>>& compared) {
    Answer answer{.status = Status::kPass};
    for (const auto& [process, output] : compared) {
      Comparison comparison;
      comparison.process = process;
      comparison.output = output;
      answer.fields.comparisons.push_back(comparison);
    }
    CaseRecord record{.status = Status::kPass};
    ApplyComparisons(answer, c, record);
    return record.status == Status::kPass ? "" : record.diagnostic;
  };
  EXPECT_EQ(judge({{0, 0}, {0, 1}, {1, 0}, {1, 1}}), "");
  EXPECT_THAT(judge({{0, 0}, {0, 1}}), HasSubstr("compared 2 of 4 outputs"));
  EXPECT_THAT(judge({{0, 0}, {0, 1}, {1, 0}, {1, 0}}), HasSubstr("compared process 1, output 0 twice"));
  EXPECT_THAT(judge({{0, 0}, {0, 1}, {1, 0}, {2, 0}}),
              HasSubstr("compared process 2, output 0, the case has 2 for each of 2"));
  EXPECT_THAT(judge({{std::nullopt, 0}, {0, 1}, {1, 0}, {1, 1}}), HasSubstr("compared output 0, the case has"));
  c.grid = {};
  EXPECT_THAT(judge({{0, 0}, {0, 1}}), HasSubstr("compared process 0, output 0, the case has 2"));
}

TEST(VerdictTest, AGridIsTrustedAsSoonAsOneProcessHasMoreThanZeros) {
  Case c;
  c.inputs = c.outputs = {{{4}, "f32"}};
  c.grid = {.partitions = 2};
  const auto judge = [&](const std::vector<int64_t>& zero) {
    CaseRecord record{.status = Status::kPass};
    for (const int64_t process : {0, 1}) {
      Comparison comparison;
      comparison.process = process;
      comparison.elements = 4;
      comparison.constant = true;
      record.comparisons.push_back(comparison);
    }
    RequireProof(c, [&](int64_t output) { return std::ranges::find(zero, output) != zero.end(); }, record);
    return record.status;
  };
  EXPECT_EQ(judge({0}), Status::kPass);
  EXPECT_EQ(judge({0, 1}), Status::kInconclusive);
}

TEST(VerdictTest, ExecutingAnotherArtifactThanTheFileIsUnsupported) {
  const auto judge = [](Status status, const Answer& answer) {
    CaseRecord record{.status = status, .stage = "execute", .diagnostic = "why"};
    RequireLoaded(answer, "chip", record);
    return record.status;
  };
  Answer loaded, failed_in_stage, died;
  loaded.fields.loaded = true;
  failed_in_stage.stages = {{"load", Status::kFail, 0, "damaged"}};
  died.died = true;
  EXPECT_EQ(judge(Status::kPass, loaded), Status::kPass);
  EXPECT_EQ(judge(Status::kPass, {}), Status::kUnsupported);
  EXPECT_EQ(judge(Status::kFail, {}), Status::kUnsupported) << "it looked for what it compiled itself";
  EXPECT_EQ(judge(Status::kFail, failed_in_stage), Status::kFail);
  EXPECT_EQ(judge(Status::kCrash, died), Status::kCrash);
}

}  // namespace
}  // namespace opbyop::harness
