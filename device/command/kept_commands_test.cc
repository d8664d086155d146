// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/command/kept_commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "support/files/file.h"
#include "support/process/process.h"
#include "support/test_folder.h"
#include "support/text/shell_quote.h"

namespace opbyop::command {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class KeptCommandsTest : public testing::Test {
 protected:
  KeptCommandsTest() {
    EXPECT_TRUE(WriteFile(folder_.path() / "program.mlir", "module {}\n"));
    std::filesystem::create_directory(dir_);
    target_.name = "chip";
  }

  TestFolder folder_;
  const std::filesystem::path dir_ = folder_.path() / "it's kept";
  Target target_;
};

TEST_F(KeptCommandsTest, TheScriptRecreatesTheFiles) {
  auto kept = KeptCommands::Begin(dir_, folder_.path() / "program.mlir", target_);
  ASSERT_TRUE(kept) << kept.error().message;
  Stage stage{.name = "lower"};
  stage.command = {"sh", "-c", "cat {input} > {output}; echo \"$WHY\" >> {output}"};
  stage.environment = {{"WHY", "it's; $HOME"}};
  ASSERT_TRUE(kept->Add(stage, {.input = "case.mlir", .output = "out.mlir", .dir = "."}));
  ASSERT_TRUE(kept->Add(stage, {.input = "case.mlir", .output = "out.mlir", .dir = "."})) << "run again";
  const auto ran = RunCommand({(dir_ / "commands.sh").string()}, std::chrono::seconds(20));
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(*ran, "stage lower\n");
  EXPECT_EQ(ReadFile(dir_ / "out.mlir").value_or(""), "module {}\nit's; $HOME\n");
}

TEST_F(KeptCommandsTest, AStageThatRunsAgainKeepsItsLog) {
  auto kept = KeptCommands::Begin(dir_, folder_.path() / "program.mlir", target_);
  ASSERT_TRUE(kept) << kept.error().message;
  for (const char* name : {"lower", "execute"}) {
    Stage stage{.name = name};
    stage.command = {"true"};
    ASSERT_TRUE(kept->Add(stage, {}));
  }
  EXPECT_EQ(kept->LogFile().filename(), "1_execute.log");
  Stage stage{.name = "lower"};
  ASSERT_TRUE(kept->Add(stage, {}));
  EXPECT_EQ(kept->LogFile().filename(), "0_lower.log");
}

TEST_F(KeptCommandsTest, ABuiltInPipelineIsACommandOfOpbyopOpt) {
  auto kept = KeptCommands::Begin(dir_, folder_.path() / "program.mlir", target_);
  ASSERT_TRUE(kept) << kept.error().message;
  ASSERT_TRUE(kept->Add({.name = "linalg", .pipeline = "builtin.module(cse)"},
                        {.input = "case.mlir", .output = "linalg.out", .bin = "/b"}));
  EXPECT_THAT(ReadFile(dir_ / "commands.sh").value_or(""),
              HasSubstr("/b/opbyop-opt '--pass-pipeline=builtin.module(cse)' case.mlir -o linalg.out"));
}

TEST_F(KeptCommandsTest, UntrustedNamesDoNotRunAsCommands) {
  target_.name = "chip\ntouch ran";
  auto kept = KeptCommands::Begin(dir_, folder_.path() / "program.mlir", target_);
  ASSERT_TRUE(kept) << kept.error().message;
  Stage stage{.name = "lower\ntouch ran; '"};
  stage.command = {"A=b", "\necho 'stage x' >&2\ntouch ran\n"};
  stage.environment = {{"X; touch ran;", "$(touch ran)"}};
  ASSERT_TRUE(kept->Add(stage, {}));
  (void)RunCommand({(dir_ / "commands.sh").string()}, std::chrono::seconds(20));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "ran"));
  const nlohmann::json commands = nlohmann::json::parse(ReadFile(dir_ / "stages.json").value_or(""));
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(commands[0]["stage"], stage.name);
  EXPECT_EQ(commands[0]["argv"], nlohmann::json(stage.command));
}

TEST_F(KeptCommandsTest, ValuesOfOtherVariablesAreInNoCommand) {
  ::setenv("SOMEBODYS", "hidden-value", 1);
  auto kept = KeptCommands::Begin(dir_, folder_.path() / "program.mlir", target_);
  ::unsetenv("SOMEBODYS");
  ASSERT_TRUE(kept) << kept.error().message;
  Stage stage{.name = "lower"};
  stage.command = {"true", "--key=hidden-value"};
  ASSERT_TRUE(kept->Add(stage, {}));
  const std::string script = ReadFile(dir_ / "commands.sh").value_or("");
  EXPECT_THAT(script, HasSubstr("'--key=<SOMEBODYS>'"));
}

TEST(EnvironmentScriptTest, HoldsWhatCompilersNeedAndTheTargetNames) {
  const std::vector<const char*> hidden = {"DATABASE_URL", "GH_PAT",        "MYSQL_PWD",
                                           "SENTRY_DSN",   "PIP_INDEX_URL", "TF_VAR_db"};
  for (const char* name : hidden) ::setenv(name, "hidden-value", 1);
  ::setenv("TT_METAL_HOME", "/opt/it's here", 1);
  ::setenv("CHIP_KIND", "of 2026\ntouch ran", 1);
  ::setenv("XLA_FLAGS", "--login=hidden-value", 1);
  const std::string script = EnvironmentScript({"CHIP_KIND"});
  for (const char* name : hidden) ::unsetenv(name);
  ::unsetenv("XLA_FLAGS");
  EXPECT_THAT(script, HasSubstr("export TT_METAL_HOME=" + ShellQuote("/opt/it's here") + "\n"));
  EXPECT_THAT(script, HasSubstr("export CHIP_KIND='of 2026\ntouch ran'\n"));
  EXPECT_THAT(script, HasSubstr("export PATH="));
  EXPECT_THAT(script, HasSubstr("export XLA_FLAGS='--login=<"));
  EXPECT_THAT(script, Not(HasSubstr("hidden-value")));
  for (const char* name : hidden) EXPECT_THAT(script, Not(HasSubstr("export " + std::string(name))));
}

}  // namespace
}  // namespace opbyop::command
