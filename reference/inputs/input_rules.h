// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What each operand of each op may be drawn from: one table, a row or more for every op whose ODS record (ir/op_info.h)
// has operands that carry values. An op that is added to a dialect needs its row: input_rules_test.cc.
//
//   for (const InputRule& rule : InputRulesOf("stablehlo.divide", 1)) ...   // -4 to 4, not within 0.5 of 0
#ifndef OPBYOP_REFERENCE_INPUTS_INPUT_RULES_H_
#define OPBYOP_REFERENCE_INPUTS_INPUT_RULES_H_

#include <limits>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"

namespace opbyop::reference {

enum class Demand {
  kAny,            // what is drawn where nothing is demanded
  kRange,          // low, high, away
  kBits,           // integers of all their bits
  kIndex,          // positions in another operand
  kShiftAmount,    // below the width of the type
  kDividend,       // an integer one is not the least: divided by -1 it has no quotient
  kSmallExponent,  // an integer one is neither negative nor large
  kOrder,          // of a derivative: low to high, integers
  kConversion,     // what the target of the conversion holds, and what the readers of the result demand
  kDistinct,       // no two alike, but for ties where their order is defined
  kCoarse,         // few different ones, so that equality happens
  kSpecials,       // NaN and infinities among them
  kDefinite,       // a positive definite matrix
  kTriangular,     // a triangle with a strong diagonal
  kVariance,       // low to high, and some as small as what the op adds to it
  kFactors,        // near 1 where the region multiplies
  kPasses,         // what the readers of the results demand
  kPassesSums,     // the same where a constant is added
  kCallee,         // what the called function demands of its argument
  kRegions,        // what the regions demand of their arguments
  kStatic,         // shapes the result: constant in a case that can be run
};

struct InputRule {
  std::string_view op;
  int operand;  // -1: every one that has no row of its own
  Demand demand;
  double low = 0, high = 0;  // of kRange
  double away = 0;           // |x| is at least this; an integer is not 0 under any policy
  // Beyond these nothing is specified, under any policy.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

llvm::ArrayRef<InputRule> AllInputRules();

// The rows of one operand; none where the op is not of this project's dialects or takes no such operand.
std::vector<const InputRule*> InputRulesOf(std::string_view op, unsigned operand);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_INPUT_RULES_H_
