// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/bundle/compiled_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

namespace opbyop::harness {
namespace {

using testing::ElementsAre;

const std::map<std::string, std::string> kOrigin = {{"cpu", "EPYC"}};

CaseRecord CompiledCase(Status status = Status::kPass) {
  CaseRecord record{.id = "add_1", .status = status, .stage = "emit", .artifact_sha256 = "00"};
  record.stages = {{"lower", Status::kPass, 1, ""}, {"emit", Status::kPass, 2, ""}};
  record.wall_ms = 5;
  return record;
}

TEST(CompiledRunTest, OnlyCasesWithAnArtifactAreExecuted) {
  EXPECT_TRUE(CompiledRun::MayExecute(CompiledCase()));
  EXPECT_TRUE(CompiledRun::MayExecute(CompiledCase(Status::kFlaky)));
  EXPECT_FALSE(CompiledRun::MayExecute(CompiledCase(Status::kFail)));
  EXPECT_FALSE(CompiledRun::MayExecute({.id = "add_1", .status = Status::kPass}));
}

TEST(CompiledRunTest, TheRecordHasTheStagesAndTimesOfBoth) {
  CaseRecord record{.id = "add_1", .status = Status::kMissing};
  BeginWith(CompiledCase(), record);
  EXPECT_EQ(record.status, Status::kPass);
  EXPECT_THAT(record.stages,
              ElementsAre(testing::Field(&StageRecord::name, "lower"), testing::Field(&StageRecord::name, "emit")));
  record.wall_ms = 7;
  AddCompileRecord(CompiledCase(), kOrigin, "EPYC", record);
  EXPECT_EQ(record.wall_ms, 12);
}

TEST(CompiledRunTest, ACaseThatCompiledAtItsSecondAttemptIsFlakyUnlessItFails) {
  CaseRecord compiled = CompiledCase(Status::kFlaky);
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
    AddCompileRecord(CompiledCase(), kOrigin, here, record);
    return record.diagnostic;
  };
  EXPECT_EQ(diagnose(SIGILL, "Xeon"), "died; it was compiled on EPYC, this machine is Xeon");
  EXPECT_EQ(diagnose(SIGILL, "EPYC"), "died");
  EXPECT_EQ(diagnose(SIGSEGV, "Xeon"), "died");
}

using Properties = std::map<std::string, std::string>;

Properties BuildOf(const std::string& digest, const std::string& package, const std::string& interface) {
  return {{"plugin_sha256", digest}, {"plugin_package", package}, {"pjrt_api_version", interface}};
}

TEST(CompiledRunTest, ABuildIsTheSameByItsDigestOrByItsPackageAndInterface) {
  const Properties compiled = BuildOf("1234567890", "jax-tt-plugin 0.1.3", "0.114");
  EXPECT_EQ(OtherVersion(compiled, compiled), "");
  EXPECT_EQ(OtherVersion(compiled, BuildOf("1234567890", "", "0.114")), "");
  EXPECT_EQ(OtherVersion(compiled, BuildOf("99", "jax-tt-plugin 0.1.3", "0.114")), "");
  EXPECT_EQ(OtherVersion(compiled, BuildOf("99", "jax-tt-plugin 0.1.4", "0.114")),
            "compiled with jax-tt-plugin 0.1.3, interface 0.114, sha256 12345678, "
            "executed with jax-tt-plugin 0.1.4, interface 0.114, sha256 99");
  EXPECT_NE(OtherVersion(compiled, BuildOf("99", "jax-tt-plugin 0.1.3", "0.115")), "");
  EXPECT_NE(OtherVersion(BuildOf("1", "", "0.81"), BuildOf("2", "", "0.81")), "");
}

TEST(CompiledRunTest, ARecordSaysInLoadThatAnotherVersionExecutedIt) {
  CaseRecord record{.stages = {{.name = "compile"}, {.name = "load"}, {.name = "execute"}}};
  NoteOtherVersion("", record);
  EXPECT_EQ(record.stages[1].diagnostic, "");
  NoteOtherVersion("compiled with 1, executed with 2", record);
  EXPECT_EQ(record.stages[0].diagnostic, "");
  EXPECT_EQ(record.stages[1].diagnostic, "compiled with 1, executed with 2");
}

TEST(CompiledRunTest, AToolchainThatSaysNoBuildOrJudgesItsExecutablesIsNotRefused) {
  Properties compiled = BuildOf("1", "", "0.114"), here = BuildOf("2", "", "0.114");
  EXPECT_EQ(OtherVersion(compiled, {}), "");
  EXPECT_EQ(OtherVersion({}, here), "");
  here["judges_executables"] = "by an extension";
  EXPECT_NE(OtherVersion(compiled, here), "");  // the artifacts do not hold what the plugin would be asked about
  compiled["judges_executables"] = "by an extension";
  EXPECT_EQ(OtherVersion(compiled, here), "");
}

}  // namespace
}  // namespace opbyop::harness
