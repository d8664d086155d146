// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/command/command_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <variant>

#include "manifests/targets/target.h"
#include "protocol/hello.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::command {
namespace {

namespace fs = std::filesystem;
using device::TargetCreation;
using device::TargetParts;
using testing::HasSubstr;

class CommandTargetTest : public testing::Test {
 protected:
  ~CommandTargetTest() override { ::unsetenv(protocol::kOnlyVariable); }

  // `lower` is the program of the compile stage, `run` that of `execute`.
  TargetCreation Create(const std::string& lower, const std::string& run) {
    const std::string text =
        "schema: opbyop-target/1\nname: chip\nworker: [w]\ndevice: {kind: command}\nstages:\n"
        "  - {name: lower, command: [" +
        lower + ", \"cp {input} {output}\"], produces: chip.bin}\n" +
        "  - {name: load}\n  - {name: execute, command: [" + run +
        ", \"cp {input} {dir}/output_0.txt; echo {case} > {dir}/case.txt\"]}\n";
    (void)WriteFile(folder_.path() / "chip.yaml", text);
    const Expected<Target> target = LoadTarget(folder_.path() / "chip.yaml");
    EXPECT_TRUE(target) << target.error().message;
    return CreateCommandTarget(*target, nullptr);
  }

  TestFolder folder_;
};

TEST_F(CommandTargetTest, AnAdoptedArtifactIsPassedToThePrograms) {
  TargetCreation created = Create("sh, -c", "sh, -c");
  ASSERT_TRUE(std::holds_alternative<TargetParts>(created));
  device::TargetDevice& device = *std::get<TargetParts>(created).device;
  const fs::path dir = folder_.path() / "case";
  ASSERT_TRUE(WriteFile(dir / "chip.bin", "code"));
  ASSERT_TRUE(device.Adopt("add_1", dir / "chip.bin"));
  ASSERT_TRUE(device.Load("code").passed());
  Timing timing;
  const device::StageResult ran = device.Execute({.dir = dir}, timing);
  ASSERT_TRUE(ran.passed()) << ran.diagnostic;
  EXPECT_EQ(ReadFile(dir / "output_0.txt").value_or(""), "code");
  EXPECT_EQ(ReadFile(dir / "case.txt").value_or(""), "add_1\n");
}

TEST_F(CommandTargetTest, ATargetThatOnlyExecutesNeedsNoCompiler) {
  EXPECT_TRUE(std::holds_alternative<device::Unavailable>(Create("no-such-compiler, -c", "sh, -c")));
  ::setenv(protocol::kOnlyVariable, "execute", 1);
  EXPECT_TRUE(std::holds_alternative<TargetParts>(Create("no-such-compiler, -c", "sh, -c")));
  EXPECT_TRUE(std::holds_alternative<device::Unavailable>(Create("sh, -c", "no-such-board, -c")));
}

TEST_F(CommandTargetTest, ATargetThatOnlyCompilesNeedsNoBoard) {
  ::setenv(protocol::kOnlyVariable, "compile", 1);
  EXPECT_TRUE(std::holds_alternative<TargetParts>(Create("sh, -c", "no-such-board, -c")));
  EXPECT_TRUE(std::holds_alternative<device::Unavailable>(Create("no-such-compiler, -c", "sh, -c")));
}

}  // namespace
}  // namespace opbyop::command
