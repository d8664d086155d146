// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every operand of every op has a rule, and every rule has an operand.
#include "reference/inputs/input_rules.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/op_info.h"

namespace opbyop::reference {
namespace {

bool CarriesValues(char role) { return role == 'v' || role == 'V' || role == 'i' || role == 'I'; }
bool IsVariadic(char role) { return role >= 'A' && role <= 'Z'; }

TEST(InputRulesTest, EveryOperandThatCarriesValuesHasARule) {
  int64_t operands = 0;
  for (const OpInfo& info : AllOps()) {
    for (size_t i = 0; i < info.roles.size(); ++i) {
      if (!CarriesValues(info.roles[i])) continue;
      ++operands;
      EXPECT_FALSE(InputRulesOf(info.name, static_cast<unsigned>(i)).empty())
          << info.name.str() << " operand " << i << " is in no row of reference/inputs/input_rules.cc";
    }
  }
  EXPECT_GE(operands, 200);
}

TEST(InputRulesTest, TheOperandOfEveryRuleExists) {
  std::string_view last;
  for (const InputRule& rule : AllInputRules()) {
    const OpInfo* info = LookUpOp(llvm::StringRef(rule.op));
    ASSERT_NE(info, nullptr) << rule.op;
    EXPECT_LE(last, rule.op) << "the table is sorted by name";
    last = rule.op;
    const bool variadic = !info->roles.empty() && IsVariadic(info->roles.back());
    EXPECT_TRUE(rule.operand < static_cast<int>(info->roles.size()) || variadic) << rule.op << " " << rule.operand;
  }
}

// The ODS record states which operands are indices.
TEST(InputRulesTest, IndexOperandsOfTheRecordsAreDrawnAsIndices) {
  for (const OpInfo& info : AllOps()) {
    const auto count = static_cast<unsigned>(info.roles.size());
    for (unsigned i = 0; i < count; ++i) {
      if (RoleOf(info, i, count) != OperandRole::kIndex) continue;
      for (const InputRule* rule : InputRulesOf(info.name, i)) {
        EXPECT_TRUE(rule->demand == Demand::kIndex || rule->demand == Demand::kStatic) << info.name.str() << " " << i;
      }
    }
  }
}

TEST(InputRulesTest, ARowForOneOperandReplacesTheCommonRow) {
  const auto divisor = InputRulesOf("stablehlo.divide", 1);
  ASSERT_EQ(divisor.size(), 1u);
  EXPECT_EQ(divisor[0]->away, 0.5);
  EXPECT_EQ(InputRulesOf("stablehlo.divide", 0)[0]->demand, Demand::kDividend);
  EXPECT_EQ(InputRulesOf("chlo.broadcast_divide", 1), divisor);
  EXPECT_EQ(InputRulesOf("chlo.broadcast_zeta", 0), InputRulesOf("chlo.zeta", 0));
  EXPECT_TRUE(InputRulesOf("vendor.op", 0).empty());
}

}  // namespace
}  // namespace opbyop::reference
