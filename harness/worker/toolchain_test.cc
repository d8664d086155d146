// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/toolchain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop::harness {
namespace {

using testing::HasSubstr;

Toolchain Ask(const std::string& script) {
  Target target;
  if (!script.empty()) target.version = {"sh", "-c", script};
  return AskToolchain(target, {.role = "target", .name = "chip", .version = "the worker's"});
}

TEST(ToolchainTest, TheVersionIsTheTextThatTheCommandPrints) {
  const Toolchain toolchain = Ask("echo 'LLVM 22'; echo 'of a vendor'; echo");
  EXPECT_EQ(toolchain.version, "LLVM 22\nof a vendor");
  EXPECT_EQ(toolchain.commit, std::nullopt);
  EXPECT_EQ(toolchain.card, "");
}

TEST(ToolchainTest, TheWorkersVersionReplacesThatOfAFailedCommand) {
  EXPECT_EQ(Ask("").version, "the worker's");
  EXPECT_EQ(Ask("exit 1").version, "the worker's");
}

TEST(ToolchainTest, ReadsCommitAndCardOfAJsonObject) {
  const Toolchain toolchain = Ask(R"(echo '{"toolchain": "LLVM 22", "commit": "19c8", "card": "n150"}')");
  EXPECT_EQ(toolchain.version, "LLVM 22, commit 19c8");
  EXPECT_EQ(toolchain.commit, "19c8");
  EXPECT_EQ(toolchain.card, "n150");
}

TEST(ToolchainTest, FieldsThatTheObjectLacksAreUnknown) {
  const Toolchain toolchain = Ask(R"(echo '{"card": 3}')");
  EXPECT_EQ(toolchain.version, "the worker's");
  EXPECT_EQ(toolchain.commit, "");
  EXPECT_EQ(toolchain.card, "");
}

TEST(ToolchainTest, HalfAnObjectIsText) { EXPECT_EQ(Ask("echo '{\"card\": '").version, "{\"card\":"); }

TEST(ToolchainTest, FindsTheProjectsPrograms) {
  Target target;
  target.version = {"sh", "-c", "test -d {root}/device && echo found"};
  EXPECT_THAT(AskToolchain(target, {}).version, HasSubstr("found"));
}

}  // namespace
}  // namespace opbyop::harness
