// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/command/placeholders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop::command {
namespace {

using ::testing::ElementsAre;

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

TEST(MissingVariablesTest, NamesThoseThatAreNotSet) {
  ::setenv("OPBYOP_PLACEHOLDER", "value", 1);
  ::unsetenv("OPBYOP_NO_SUCH");
  EXPECT_THAT(MissingVariables("{env:OPBYOP_PLACEHOLDER}{env:OPBYOP_NO_SUCH}"), ElementsAre("OPBYOP_NO_SUCH"));
}

}  // namespace
}  // namespace opbyop::command
