// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every op of this project's dialects must be evaluated, or be listed here with the reason why it is not.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "ir/op_info.h"
#include "reference/eval/evaluate_text.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {
namespace {

const std::map<std::string, std::string>& NotInTheTable() {
  static const std::map<std::string, std::string> reasons = {
      {"check.expect_almost_eq", "a check: CheckHook"},
      {"check.expect_almost_eq_const", "a check: CheckHook"},
      {"check.expect_close", "a check: CheckHook"},
      {"check.expect_eq", "a check: CheckHook"},
      {"check.expect_eq_const", "a check: CheckHook"},
      {"check.expect_serialized_eq", "a check: CheckHook"},
      {"interpreter.print", "an observer: CheckHook"},
      {"interpreter.probe", "an observer: CheckHook"},
      {"sdy.mesh", "a symbol: read by the ops that name it"},
      {"sdy.return", "a terminator: ends the region that is evaluated"},
      {"stablehlo.return", "a terminator: ends the region that is evaluated"},
  };
  return reasons;
}

TEST(EvalTableTest, EveryOpIsEvaluatedOrListed) {
  int64_t ops = 0;
  for (const OpInfo& info : AllOps()) {
    ++ops;
    const bool evaluated = EvalTable().contains(info.name);
    const bool listed = NotInTheTable().contains(info.name.str());
    EXPECT_NE(evaluated, listed) << info.name.str() << (evaluated ? " is evaluated and listed" : " is neither");
  }
  EXPECT_GE(ops, 170);
}

TEST(EvalTableTest, EveryListedOpExists) {
  for (const auto& [name, reason] : NotInTheTable()) EXPECT_NE(LookUpOp(name), nullptr) << name;
}

TEST(EvalTableTest, EveryEvaluatedOpExistsInItsDialect) {
  for (const auto& entry : EvalTable()) {
    const llvm::StringRef name = entry.getKey();
    if (name.starts_with("func.")) continue;
    EXPECT_NE(LookUpOp(name), nullptr) << name.str();
  }
}

bool IsOfElements(const OpInfo& info) {
  return info.kind == OpKind::kElementwiseUnary || info.kind == OpKind::kElementwiseBinary ||
         info.kind == OpKind::kElementwiseTernary;
}

TEST(EvalTableTest, OpsEvaluatedElementByElementAreElementwiseInTheOpRecord) {
  for (const OpInfo& info : AllOps()) {
    if (IsElementwise(info.name)) EXPECT_TRUE(IsOfElements(info)) << info.name.str();
  }
}

TEST(EvalTableTest, AVendorsCustomCallIsUnsupportedByName) {
  const Expected<Values> results = EvaluateText(R"(func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @vendor.secret(%a) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                                                {F32({2}, {1, 2})});
  ASSERT_FALSE(results.has_value());
  EXPECT_EQ(results.error().code, ExitCode::kUnsupported);
  EXPECT_NE(results.error().message.find("custom_call @vendor.secret"), std::string::npos);
}

TEST(EvalTableTest, CustomCallsThatAreIdentitiesReturnTheirOperands) {
  for (const char* target : {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "annotate_device_placement",
                             "tt.mark_argument", "xla.sdy.FuncResultSharding"}) {
    const Expected<Values> results = EvaluateText(
        "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.custom_call @" + std::string(target) +
            "(%a) : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n",
        {F32({2}, {1, 2})});
    ASSERT_TRUE(results.has_value()) << results.error().message;
    EXPECT_EQ(Elements<double>((*results)[0].tensor()), (std::vector<double>{1, 2})) << target;
  }
}

}  // namespace
}  // namespace opbyop::reference
