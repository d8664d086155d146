// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every row is about an op and its operands, and every op that needs a row has one.
#include "reference/rules/op_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ir/op_info.h"

namespace opbyop::reference {
namespace {

bool IsOfElements(const OpInfo& info) {
  return info.kind == OpKind::kElementwiseUnary || info.kind == OpKind::kElementwiseBinary ||
         info.kind == OpKind::kElementwiseTernary;
}

// Elementwise ops composed of other ops, whose errors they have.
const std::set<std::string_view> kComposed = {"chlo._asin_acos_kernel", "stablehlo.map", "stablehlo.uniform_dequantize",
                                              "stablehlo.uniform_quantize"};

TEST(OpRulesTest, EveryElementwiseOpHasARowThatStatesItsAccuracy) {
  for (const OpInfo& info : AllOps()) {
    if (!IsOfElements(info) || info.name.starts_with("chlo.broadcast_")) continue;
    EXPECT_NE(FindOpRules(info.name) != nullptr, kComposed.contains(info.name)) << info.name.str();
  }
}

TEST(OpRulesTest, ARowWithoutAnAccuracyIsExactAndHasNoRule) {
  EXPECT_FALSE(FindOpRules("stablehlo.floor")->accuracy.has_value());
  EXPECT_TRUE(FindOpRules("stablehlo.tanh")->accuracy.has_value());
  EXPECT_EQ(FindOpRules("vendor.op"), nullptr);
}

TEST(OpRulesTest, TheOpAndTheOperandsOfEveryRowExist) {
  for (const OpRules& rules : AllOpRules()) {
    const OpInfo* info = LookUpOp(llvm::StringRef(rules.op));
    ASSERT_NE(info, nullptr) << rules.op;
    const bool variadic = std::ranges::any_of(info->roles, [](char role) { return role >= 'A' && role <= 'Z'; });
    for (const InputRule& rule : rules.inputs) {
      EXPECT_TRUE(rule.operand < static_cast<int>(info->roles.size()) || variadic) << rules.op << " " << rule.operand;
    }
  }
}

TEST(OpRulesTest, IndexOperandsOfTheRecordsAreDrawnAsIndices) {
  for (const OpInfo& info : AllOps()) {
    const auto count = static_cast<unsigned>(info.roles.size());
    for (unsigned i = 0; i < count; ++i) {
      if (RoleOf(info, i, count) != OperandRole::kIndex) continue;
      const std::vector<const InputRule*> rules = InputRulesOf(info.name, i);
      EXPECT_FALSE(rules.empty()) << info.name.str() << " operand " << i << " needs a rule";
      for (const InputRule* rule : rules) {
        EXPECT_TRUE(rule->demand == Demand::kIndex || rule->demand == Demand::kStatic) << info.name.str() << " " << i;
      }
    }
  }
}

TEST(OpRulesTest, ARuleForOneOperandReplacesThatOfEveryOperand) {
  const auto divisor = InputRulesOf("stablehlo.divide", 1);
  ASSERT_EQ(divisor.size(), 1u);
  EXPECT_EQ(divisor[0]->away, 0.5);
  EXPECT_EQ(InputRulesOf("stablehlo.divide", 0)[0]->demand, Demand::kDividend);
}

TEST(OpRulesTest, ABroadcastingOpHasTheInputRulesOfItsOp) {
  EXPECT_EQ(InputRulesOf("chlo.broadcast_divide", 1), InputRulesOf("stablehlo.divide", 1));
  EXPECT_EQ(InputRulesOf("chlo.broadcast_zeta", 0), InputRulesOf("chlo.zeta", 0));
  EXPECT_TRUE(InputRulesOf("vendor.op", 0).empty());
}

}  // namespace
}  // namespace opbyop::reference
