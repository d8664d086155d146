// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pipeline/mlir_pipeline_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Transforms/Passes.h>

#include "ir/register.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::device {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class MlirPipelineRunnerTest : public testing::Test {
 protected:
  MlirPipelineRunnerTest() {
    target_.path = dir_ / "target.yaml";
    target_.stages = {{.name = "lower", .pipeline = "builtin.module(cse)"}};
  }

  Expected<std::unique_ptr<PipelineRunner>> Create() {
    mlir::registerCSEPass();
    return MlirPipelineRunner::Create(
        target_, {.own = &RegisterAllDialects,
                  .lowering = [](mlir::DialectRegistry& registry) { registry.insert<mlir::func::FuncDialect>(); }});
  }

  // Runs the stage on `program`.
  StageResult Run(std::string_view program) {
    auto runner = Create();
    if (!runner) return {Status::kFail, runner.error().message};
    EXPECT_TRUE(WriteFile(dir_ / "in.mlir", program));
    return (*runner)->Run(target_.stages[0], dir_ / "in.mlir", dir_ / "out.mlir");
  }

  TestFolder folder_;
  const fs::path dir_ = folder_.path();
  Target target_;
};

constexpr std::string_view kAdd =
    "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
    "  %0 = stablehlo.add %a, %a : tensor<f32>\n"
    "  %1 = stablehlo.add %a, %a : tensor<f32>\n"
    "  return %1 : tensor<f32>\n}\n";

constexpr std::string_view kForeign =
    "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
    "  %0 = \"stablehlo.of_their_own\"(%a) : (tensor<f32>) -> tensor<f32>\n"
    "  return %0 : tensor<f32>\n}\n";

TEST_F(MlirPipelineRunnerTest, WritesTheResultOfThePipeline) {
  ASSERT_TRUE(Run(kAdd).passed());
  const std::string text = ReadFile(dir_ / "out.mlir").value_or("");
  EXPECT_EQ(text.find("stablehlo.add"), text.rfind("stablehlo.add"));
}

TEST_F(MlirPipelineRunnerTest, FailsOnAProgramThatDoesNotParse) {
  const StageResult result = Run("func.func @main( {");
  EXPECT_EQ(result.status, Status::kFail);
  EXPECT_THAT(result.diagnostic, HasSubstr("in.mlir:1"));
}

TEST_F(MlirPipelineRunnerTest, RefusesAPipelineThatDoesNotParse) {
  target_.stages[0].pipeline = "builtin.module(no-such-pass)";
  EXPECT_THAT(Run(kAdd).diagnostic, HasSubstr("stage 'lower': its pass pipeline does not parse"));
}

TEST_F(MlirPipelineRunnerTest, RefusesAMissingPlugin) {
  target_.plugins = {"no_such_plugin.so"};
  EXPECT_THAT(Run(kAdd).diagnostic, HasSubstr("plugin no_such_plugin.so"));
}

TEST_F(MlirPipelineRunnerTest, RunsAPluginsPassOverThePluginsOwnStablehlo) {
  target_.plugins = {FOREIGN_PLUGIN};
  target_.stages[0].pipeline = "builtin.module(foreign-count-ops)";
  const StageResult result = Run(kForeign);
  ASSERT_TRUE(result.passed()) << result.diagnostic;
  EXPECT_THAT(ReadFile(dir_ / "out.mlir").value_or(""), HasSubstr("foreign.ops = 1"));
}

TEST_F(MlirPipelineRunnerTest, NamesThePluginsInItsVersion) {
  target_.plugins = {FOREIGN_PLUGIN};
  auto runner = Create();
  ASSERT_TRUE(runner) << runner.error().message;
  EXPECT_THAT((*runner)->Version(), HasSubstr("foreign 1.0"));
}

}  // namespace
}  // namespace opbyop::device
