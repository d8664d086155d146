// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/command/placeholders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::command {
namespace {

const Placeholders kValues = {"in.mlir", "out.mlir", "/scratch", "add_2xf32_1", "/targets", "/bin", "/root"};

TEST(ExpandTest, ReplacesEveryPlaceholder) {
  EXPECT_EQ(Expand("{input} {output} {dir} {case} {target_dir} {bin} {root}", kValues),
            "in.mlir out.mlir /scratch add_2xf32_1 /targets /bin /root");
}

TEST(ExpandTest, LeavesThePipelinesBracesAlone) {
  EXPECT_EQ(Expand("--pass=builtin.module(f{opt=1 x={2}})", kValues), "--pass=builtin.module(f{opt=1 x={2}})");
}

TEST(ExpandTest, FindsAPlaceholderInsideForeignBraces) { EXPECT_EQ(Expand("{a={input}}", kValues), "{a=in.mlir}"); }

TEST(ExpandTest, LeavesAnUnclosedBraceAlone) { EXPECT_EQ(Expand("{input", kValues), "{input"); }

TEST(ExpandTest, ReadsTheEnvironment) {
  ::setenv("OPBYOP_PLACEHOLDER", "value", 1);
  EXPECT_EQ(Expand("a={env:OPBYOP_PLACEHOLDER}", kValues), "a=value");
}

TEST(MissingVariableTest, NamesTheFirstThatIsNotSet) {
  ::setenv("OPBYOP_PLACEHOLDER", "value", 1);
  ::unsetenv("OPBYOP_NO_SUCH");
  EXPECT_EQ(MissingVariable("a={env:OPBYOP_PLACEHOLDER} {input} {f{x}}"), std::nullopt);
  EXPECT_EQ(MissingVariable("{env:OPBYOP_PLACEHOLDER}{env:OPBYOP_NO_SUCH}{env_file:OPBYOP_NO_SUCH_EITHER}"),
            "the environment variable OPBYOP_NO_SUCH is not set");
}

TEST(MissingVariableTest, NamesAFileThatIsNotThere) {
  const TestFolder folder;
  const std::string file = (folder.path() / "board.ttsys").string();
  ::setenv("OPBYOP_PLACEHOLDER", file.c_str(), 1);
  EXPECT_EQ(MissingVariable("path={env_file:OPBYOP_PLACEHOLDER}"),
            "the environment variable OPBYOP_PLACEHOLDER names " + file + ", which is no file");
  EXPECT_EQ(MissingVariable("path={env:OPBYOP_PLACEHOLDER}"), std::nullopt);
  ASSERT_TRUE(WriteFile(file, "board"));
  EXPECT_EQ(MissingVariable("path={env_file:OPBYOP_PLACEHOLDER}"), std::nullopt);
  EXPECT_EQ(Expand("path={env_file:OPBYOP_PLACEHOLDER}", kValues), "path=" + file);
}

}  // namespace
}  // namespace opbyop::command
