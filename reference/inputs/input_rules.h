// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The values that each operand of each op may have: one table with at least one row for every op whose ODS record
// (ir/op_info.h) has operands that carry values. A new op needs its rows; input_rules_test.cc checks this.
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
  kAny,            // the op demands nothing
  kRange,          // low, high, away
  kBits,           // integers in which every bit is drawn
  kIndex,          // positions in another operand
  kShiftAmount,    // below the width of the type
  kDividend,       // an integer is not the least of its type, which divided by -1 has no quotient
  kSmallExponent,  // an integer is neither negative nor large
  kOrder,          // the order of a derivative: integers from low to high
  kConversion,     // what the target type holds and the readers of the result demand
  kDistinct,       // no two are equal, except for ties if their order is defined
  kCoarse,         // few different values, so that some are equal
  kTies,           // complex numbers with few different parts, so that some parts are equal
  kSpecials,       // some are NaN or infinite
  kDefinite,       // a positive definite matrix
  kTriangular,     // a triangle with a strong diagonal
  kVariance,       // low to high, and some as small as the epsilon that the op adds
  kSpread,         // some features vary no more than the epsilon that the op adds to their variance
  kFactors,        // near 1 if the region multiplies
  kPasses,         // what the readers of the results demand
  kPassesSums,     // the same, if a constant is added
  kCallee,         // what the called function demands of its argument
  kRegions,        // what the regions demand of their arguments
  kStatic,         // decides the shape of the result: constant in every case that can be run
};

struct InputRule {
  std::string_view op;
  int operand;  // -1: every operand that has no row of its own
  Demand demand;
  double low = 0, high = 0;  // for kRange, kVariance and kOrder
  double away = 0;           // |x| is at least this; an integer is not 0 under any policy
  // Values beyond these have no specified result. No policy draws them.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

llvm::ArrayRef<InputRule> AllInputRules();

// Returns the rows of one operand. Empty if the op is not in this project's dialects or has no such operand.
std::vector<const InputRule*> InputRulesOf(std::string_view op, unsigned operand);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_INPUT_RULES_H_
