// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/bundle/compiled_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

namespace opbyop::harness {
namespace {

using testing::ElementsAre;

const std::map<std::string, std::string> kOrigin = {{"cpu", "EPYC"}};

CaseRecord Compiled(Status status = Status::kPass) {
  CaseRecord record{.id = "add_1", .status = status, .stage = "emit", .artifact_sha256 = "00"};
  record.stages = {{"lower", Status::kPass, 1, ""}, {"emit", Status::kPass, 2, ""}};
  record.wall_ms = 5;
  return record;
}

TEST(CompiledRunTest, OnlyCasesWithAnArtifactAreExecuted) {
  EXPECT_TRUE(CompiledRun::MayExecute(Compiled()));
  EXPECT_TRUE(CompiledRun::MayExecute(Compiled(Status::kFlaky)));
  EXPECT_FALSE(CompiledRun::MayExecute(Compiled(Status::kFail)));
  EXPECT_FALSE(CompiledRun::MayExecute({.id = "add_1", .status = Status::kPass}));
}

TEST(CompiledRunTest, TheRecordHasTheStagesAndTimesOfBoth) {
  CaseRecord record{.id = "add_1", .status = Status::kMissing};
  BeginWith(Compiled(), record);
  EXPECT_EQ(record.status, Status::kPass);
  EXPECT_THAT(record.stages,
              ElementsAre(testing::Field(&StageRecord::name, "lower"), testing::Field(&StageRecord::name, "emit")));
  record.wall_ms = 7;
  AddCompileRecord(Compiled(), kOrigin, "EPYC", record);
  EXPECT_EQ(record.wall_ms, 12);
}

TEST(CompiledRunTest, ACaseThatCompiledAtItsSecondAttemptIsFlakyUnlessItFails) {
  CaseRecord compiled = Compiled(Status::kFlaky);
  compiled.diagnostic = "crash in stage lower, then pass alone";
  compiled.attempts = 2;
  CaseRecord passed{.id = "add_1", .status = Status::kPass, .stage = "compare"};
  AddCompileRecord(compiled, kOrigin, "EPYC", passed);
  EXPECT_EQ(passed.status, Status::kFlaky);
  EXPECT_EQ(passed.stage, "emit");
  EXPECT_EQ(passed.diagnostic, compiled.diagnostic);
  EXPECT_EQ(passed.attempts, 2);
  CaseRecord failed{.id = "add_1", .status = Status::kFail, .stage = "compare", .diagnostic = "wrong"};
  AddCompileRecord(compiled, kOrigin, "EPYC", failed);
  EXPECT_EQ(failed.status, Status::kFail);
  EXPECT_EQ(failed.diagnostic, "wrong");
}

TEST(CompiledRunTest, AnIllegalInstructionOnAnotherProcessorNamesBoth) {
  const auto diagnose = [](int signal, const std::string& here) {
    CaseRecord record{.id = "add_1", .status = Status::kCrash, .stage = "execute", .diagnostic = "died"};
    record.signal = signal;
    AddCompileRecord(Compiled(), kOrigin, here, record);
    return record.diagnostic;
  };
  EXPECT_EQ(diagnose(SIGILL, "Xeon"), "died; it was compiled on EPYC, this machine is Xeon");
  EXPECT_EQ(diagnose(SIGILL, "EPYC"), "died");
  EXPECT_EQ(diagnose(SIGSEGV, "Xeon"), "died");
}

}  // namespace
}  // namespace opbyop::harness
