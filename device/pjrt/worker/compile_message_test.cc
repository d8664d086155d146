// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/worker/compile_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop::pjrt {
namespace {

using ::testing::HasSubstr;

// Tenstorrent's form: the first line says nothing.
constexpr std::string_view kThrown =
    "TT_THROW @ external/src/data_type_utils.cc:127: tt::exception\n"
    "info:\n"
    "Unsupported data type in /scratch/case-7/0_parse.mlirbc\n"
    "backtrace:\n --- libtt.so(+0x1)\n";

const command::LogPaths kPaths = {
    .scratch = "/scratch/case-7", .file = "/models/run/cases/add.mlir", .file_name = "add_1.mlir"};

CompileEnd Read(std::string_view message, const std::vector<Stage>& stages, int code = PJRT_Error_Code_INTERNAL) {
  std::vector<const Stage*> pointers;
  for (const Stage& stage : stages) pointers.push_back(&stage);
  return ReadCompileError({.function = "PJRT_Client_Compile", .code = code, .message = std::string(message)}, pointers,
                          kPaths);
}

TEST(CompileMessageTest, TheLineAfterInfoSaysWhyAndNamesNoPathOfTheRun) {
  const CompileEnd end = Read(kThrown, {{.name = "compile"}});
  EXPECT_EQ(end.error.message, "INTERNAL: Unsupported data type in 0_parse.mlirbc");
  EXPECT_EQ(end.error.code, ExitCode::kBadInput);
}

TEST(CompileMessageTest, ElseTheFirstLineThatIsNotEmpty) {
  EXPECT_EQ(Read("\n\nbad shape\nmore", {{.name = "compile"}}).error.message, "INTERNAL: bad shape");
  EXPECT_EQ(Read("in /models/run/cases/add.mlir", {{.name = "compile"}}).error.message, "INTERNAL: in add_1.mlir");
  EXPECT_THAT(Read("", {{.name = "compile"}}).error.message, HasSubstr("failed without saying why"));
}

TEST(CompileMessageTest, PatternsOfTheStageQuoteAndSayUnsupported) {
  const Stage quoting = {.name = "compile", .diagnostic = {"never", "^backtrace"}};
  EXPECT_EQ(Read(kThrown, {quoting}).error.message, "INTERNAL: backtrace:");
  const Stage line = {.name = "compile", .unsupported = {{.match = "Unsupported data type", .reason = ""}}};
  EXPECT_EQ(Read(kThrown, {line}).error.message, "Unsupported data type in 0_parse.mlirbc");
  EXPECT_EQ(Read(kThrown, {line}).error.code, ExitCode::kUnsupported);
  const Stage reason = {.name = "compile", .unsupported = {{.match = "Unsupported data", .reason = "no such type"}}};
  EXPECT_EQ(Read(kThrown, {reason}).error.message, "no such type");
}

TEST(CompileMessageTest, TheMessageNamesTheStageWhereItEnded) {
  const std::vector<Stage> stages = {
      {.name = "stablehlo-to-ttir", .stage_of = {"SHLO to TTIR"}},
      {.name = "ttir-to-ttnn", .unsupported = {{.match = "legalize", .reason = ""}}, .stage_of = {"TTIRToTTNN"}},
      {.name = "ttnn-to-flatbuffer", .stage_of = {"ToRuntime"}}};
  EXPECT_EQ(Read("Failed to convert from SHLO to TTIR", stages).stage, 0);
  const CompileEnd end = Read("Failed to run TTIRToTTNNCommon pipeline\nfailed to legalize ttir.sort", stages);
  EXPECT_EQ(end.stage, 1);
  EXPECT_EQ(end.error.code, ExitCode::kUnsupported);
  EXPECT_EQ(end.error.message, "failed to legalize ttir.sort");
  EXPECT_EQ(Read("TTNNCommonToRuntime", stages).stage, 2);
  EXPECT_EQ(Read("out of memory", stages).stage, 0) << "the first stage, if the message names none";
}

TEST(CompileMessageTest, ACodeThatMeansUnsupportedStays) {
  EXPECT_EQ(Read("a\nb", {{.name = "compile"}}, PJRT_Error_Code_UNIMPLEMENTED).error.code, ExitCode::kUnsupported);
  const CompileEnd end = Read("a\nNo registered implementation for custom call", {{.name = "compile"}});
  EXPECT_EQ(end.error.code, ExitCode::kUnsupported);
}

TEST(CompileMessageTest, StagesOfAPluginAreThoseBetweenParseAndLoad) {
  Target target;
  EXPECT_EQ(PluginStages(target).front()->name, "compile");
  for (const char* name : {"parse", "a", "b", "load", "execute"}) target.stages.push_back({.name = name});
  const std::vector<const Stage*> stages = PluginStages(target);
  ASSERT_EQ(stages.size(), 2);
  EXPECT_EQ(stages[1]->name, "b");
}

}  // namespace
}  // namespace opbyop::pjrt
