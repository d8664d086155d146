// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/whole_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chained/chain_fixture.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop::chained {
namespace {

using reference::InputData;

using testing::HasSubstr;

constexpr const char* kModel = R"(
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
})";

CaseRecord Judge(const std::string& text, const std::vector<InputData>& inputs, const std::vector<InputData>& outputs,
                 const ChainOptions& options = {}) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(text, "test.mlir", context);
  EXPECT_TRUE(module) << module.error().message;
  Case c{.id = "whole_model", .op = std::string(kWholeModel), .no_runtime_input = inputs.empty()};
  for (const InputData& input : inputs) c.inputs.Edit().push_back({input.shape, "f32"});
  c.outputs = {{{4}, "f32"}};
  return JudgeWhole(module->get(), c, inputs, outputs, options);
}

std::vector<InputData> Inputs() { return {F32({1, 2, 3, 4}), F32({0.5, 0.5, 0.5, 0.5})}; }

TEST(WholeJudgeTest, ARightModelPasses) {
  const CaseRecord verdict = Judge(kModel, Inputs(), {F32({-1.5, -2.5, -3.5, -4.5})});
  EXPECT_EQ(verdict.status, Status::kPass) << verdict.diagnostic;
  EXPECT_EQ(WholeText(verdict), "pass, error 0 of the range");
}

TEST(WholeJudgeTest, AWrongModelFails) {
  const CaseRecord verdict = Judge(kModel, Inputs(), {F32({-1.5, -2.5, -3.5, 4.5})});
  EXPECT_EQ(verdict.status, Status::kFail);
  EXPECT_THAT(WholeText(verdict), HasSubstr("fail in compare: "));
  EXPECT_THAT(verdict.diagnostic, HasSubstr("4.5"));
}

TEST(WholeJudgeTest, ADeviceThatDeclaresItMayTakeSubnormalNumbersForZero) {
  constexpr const char* kProduct =
      "func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = stablehlo.multiply %a, %b : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n";
  const std::vector<InputData> inputs = {F32({0x1p-100, 1, 2, 3}), F32({0x1p-30, 1, 1, 1})};
  const std::vector<InputData> outputs = {F32({0, 1, 2, 3})};
  EXPECT_EQ(Judge(kProduct, inputs, outputs).status, Status::kFail);
  EXPECT_EQ(Judge(kProduct, inputs, outputs, {.arithmetic = {.flushes = {.operands = true, .results = true}}}).status,
            Status::kPass);
}

TEST(WholeJudgeTest, AnOutputOfAnotherShapeFails) {
  EXPECT_EQ(Judge(kModel, Inputs(), {F32({-1.5, -2.5})}).status, Status::kFail);
}

TEST(WholeJudgeTest, AMissingOutputIsNoPass) { EXPECT_EQ(Judge(kModel, Inputs(), {}).status, Status::kFail); }

TEST(WholeJudgeTest, AModelWithoutInputsIsInconclusive) {
  const CaseRecord verdict = Judge(
      "func.func @main() -> tensor<4xf32> {\n  %0 = stablehlo.iota dim = 0 : tensor<4xf32>\n"
      "  return %0 : tensor<4xf32>\n}\n",
      {}, {F32({0, 1, 2, 3})});
  EXPECT_EQ(verdict.status, Status::kInconclusive);
}

TEST(WholeJudgeTest, AModelThatTheReferenceCannotEvaluateIsNoPass) {
  const CaseRecord verdict = Judge(
      "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = stablehlo.custom_call @nobody(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
      "  return %0 : tensor<4xf32>\n}\n",
      {F32({0, 1, 2, 3})}, {F32({0, 1, 2, 3})});
  EXPECT_EQ(verdict.status, Status::kInconclusive);
  EXPECT_THAT(verdict.diagnostic, HasSubstr("executed, not compared"));
}

}  // namespace
}  // namespace opbyop::chained
