// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/command/command_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "support/files/file.h"
#include "support/process/process.h"
#include "support/test_folder.h"

namespace opbyop::command {
namespace {

using device::StageResult;

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class RunCommandStageTest : public testing::Test {
 protected:
  RunCommandStageTest() {
    AdoptOrphans();
    stage_.name = "lower";
    stage_.produces = "out.mlir";
  }

  StageResult Run(const std::string& script) {
    stage_.command = {"sh", "-c", script};
    return RunCommandStage(stage_, files_);
  }

  TestFolder folder_;
  const fs::path dir_ = folder_.path();
  StageFiles files_ = {.case_id = "case", .input = dir_ / "in.mlir", .output = dir_ / "out.mlir", .dir = dir_};
  Stage stage_;
};

TEST_F(RunCommandStageTest, PassesIfTheFileExists) { EXPECT_EQ(Run("echo module > {output}").status, Status::kPass); }

TEST_F(RunCommandStageTest, IgnoresWarningsOnStandardErrorAtSuccess) {
  EXPECT_EQ(Run("echo 'warning: Empty argument type map' >&2; echo m > {output}").status, Status::kPass);
}

TEST_F(RunCommandStageTest, QuotesTheErrorOfAFailure) {
  const StageResult result = Run("echo '{dir}/in.mlir:1:2: error: bad op'; exit 1");
  EXPECT_EQ(result.status, Status::kFail);
  EXPECT_EQ(result.diagnostic, "in.mlir:1:2: error: bad op");
}

TEST_F(RunCommandStageTest, ReportsAToolThatFailsSilently) {
  EXPECT_EQ(Run("exit 3").diagnostic, "sh ended with exit code 3 and said nothing");
}

TEST_F(RunCommandStageTest, CallsASignalACrashWithItsCause) {
  const StageResult result = Run("echo \"opt: a.h:1: f(): Assertion 'x' failed.\" >&2; kill -ABRT $$");
  EXPECT_EQ(result.status, Status::kCrash);
  EXPECT_EQ(result.diagnostic, "sh died of SIGABRT (Aborted): opt: a.h:1: f(): Assertion 'x' failed.");
}

TEST_F(RunCommandStageTest, QuotesNoPathOfTheCase) {
  files_.file = files_.input = "/runs/a/cases/while_f32_1.mlir";
  files_.file_name = "case.mlir";
  EXPECT_EQ(Run("echo '{input}:2:8: error: no'; exit 1").diagnostic, "case.mlir:2:8: error: no");
}

TEST_F(RunCommandStageTest, KeepsAllThatACommandPrintsIfRequested) {
  files_.log_file = dir_ / "0_lower.log";
  EXPECT_EQ(Run("i=0; while [ $i -lt 30000 ]; do echo \"line $i of it\"; i=$((i+1)); done; echo m > {output}").status,
            Status::kPass);
  const std::string log = ReadFile(files_.log_file).value_or("");
  EXPECT_TRUE(log.starts_with("line 0 of it\n"));
  EXPECT_TRUE(log.ends_with("line 29999 of it\n"));
}

TEST_F(RunCommandStageTest, TheLogIsNotWhatAStageWroteInstead) {
  files_.log_file = dir_ / "0_lower.log";
  EXPECT_EQ(Run("echo done").diagnostic, "it reported success, but left no out.mlir");
}

TEST_F(RunCommandStageTest, MapsExitCodes) {
  stage_.exit_codes = {{42, Status::kSkipped}};
  EXPECT_EQ(Run("echo 'error: descriptor differs'; exit 42").status, Status::kSkipped);
}

TEST_F(RunCommandStageTest, IsUnsupportedIfTheToolSaysSo) {
  stage_.unsupported = {{"f64 is not supported", ""}};
  const StageResult result = Run("echo 'error: f64 is not supported'; exit 1");
  EXPECT_EQ(result.status, Status::kUnsupported);
  EXPECT_EQ(result.diagnostic, "error: f64 is not supported");
}

TEST_F(RunCommandStageTest, AFileThatShowsThatTheDeviceWasNotReachedIsInconclusive) {
  stage_.inconclusive = {{"cpu_hoisted", "the op runs on the CPU"}};
  const StageResult result = Run("echo 'call @cpu_hoisted' > {output}");
  EXPECT_EQ(result.status, Status::kInconclusive);
  EXPECT_EQ(result.diagnostic, "the op runs on the CPU");
}

TEST_F(RunCommandStageTest, FailsAStageThatWritesNothing) {
  const StageResult result = Run("true");
  EXPECT_EQ(result.status, Status::kFail);
  EXPECT_EQ(result.diagnostic, "it reported success, but left no out.mlir");
}

TEST_F(RunCommandStageTest, NamesWhatAStageWroteInstead) {
  EXPECT_EQ(Run("echo m > other.mlir").diagnostic,
            "it reported success, but left no out.mlir; it wrote other.mlir instead");
}

TEST_F(RunCommandStageTest, FailsAnEmptyFile) {
  EXPECT_EQ(Run(": > {output}").diagnostic, "it reported success, but left no out.mlir");
}

TEST_F(RunCommandStageTest, StopsAStageThatWritesWithoutEnd) {
  stage_.limits.disk_mb = 1;
  const StageResult result = Run("head -c 100000000 /dev/zero > {output}");
  EXPECT_EQ(result.status, Status::kFail);
  EXPECT_THAT(result.diagnostic, HasSubstr("wrote more than its limit of 1 MB"));
  EXPECT_LE(fs::file_size(dir_ / "out.mlir"), 1u << 20);
}

TEST_F(RunCommandStageTest, CountsManyFilesTogether) {
  stage_.limits.disk_mb = 1;
  EXPECT_THAT(Run("for i in 1 2 3; do head -c 500000 /dev/zero > f$i; done; echo m > {output}").diagnostic,
              HasSubstr("wrote more than its limit"));
}

TEST_F(RunCommandStageTest, SurvivesBinaryOutput) {
  const StageResult result = Run("head -c 100000 /dev/urandom; exit 1");
  EXPECT_EQ(result.status, Status::kFail);
  for (const char character : result.diagnostic) EXPECT_TRUE(character >= 0x20 && character < 0x7f);
}

TEST_F(RunCommandStageTest, SurvivesAFloodOfOutput) {
  EXPECT_EQ(Run("head -c 50000000 /dev/zero; echo m > {output}").status, Status::kPass);
}

TEST_F(RunCommandStageTest, LeavesNoChildBehind) {
  EXPECT_EQ(Run("sleep 1000 & echo $! > pid; setsid sleep 1000 & echo m > {output}").status, Status::kPass);
  const auto pid = ReadFile(dir_ / "pid");
  ASSERT_TRUE(pid);
  EXPECT_NE(::kill(std::stoi(*pid), 0), 0);
}

TEST_F(RunCommandStageTest, FailsAProgramThatDoesNotExist) {
  stage_.command = {"no-such-program"};
  EXPECT_THAT(RunCommandStage(stage_, {.case_id = "case", .dir = dir_}).diagnostic, HasSubstr("no-such-program"));
}

TEST_F(RunCommandStageTest, GivesTheStageItsEnvironment) {
  stage_.environment = {{"WHERE", "{dir}/x"}};
  EXPECT_EQ(Run("echo \"$WHERE\" > {output}").status, Status::kPass);
  EXPECT_EQ(ReadFile(dir_ / "out.mlir").value_or(""), (dir_ / "x").string() + "\n");
}

}  // namespace
}  // namespace opbyop::command
