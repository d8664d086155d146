// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A table of the accuracy of a correct device and of the inputs that an op requires. One row for each op that has
// either; a new elementwise op needs its row (op_rules_test.cc checks this).
//
//   FindOpRules("stablehlo.tanh")->accuracy->f32;         // 5 ULPs
//   for (const InputRule* rule : InputRulesOf("stablehlo.divide", 1)) ...   // -4 to 4, not within 0.5 of 0
#ifndef OPBYOP_REFERENCE_RULES_OP_RULES_H_
#define OPBYOP_REFERENCE_RULES_OP_RULES_H_

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace opbyop::reference {

// The error that a function of real numbers may have: ULPs by the precision of its format, and an absolute part.
struct Accuracy {
  double f64 = 0;
  double f32 = 0;
  double narrow = 0;         // f16, bf16 and everything smaller
  double absolute = 0;       // in units of FunctionUnit(): for formulas whose relative error grows near zero
  bool exponential = false;  // computed as exp(-w) with a rounded w: |log result| ULPs more
  // IEEE 754 requires the nearest number and the sign of a zero. Narrow types round what f32 gives. Of all other
  // functions in this table both zeros are right.
  bool ieee = false;
};

// How the error of a complex result is measured.
enum class ComplexMeasure {
  kModulus,
  kAtLeastOne,  // a logarithm of a number of modulus 1, whose error is absolute
  kPoles,       // 1 / (1 + e): an error of e grows by |1 - result|, without limit near the poles
};

enum class Demand {
  kNone,           // the op requires nothing
  kRange,          // low, high, away
  kBits,           // integers in which every bit is drawn
  kGroupSizes,     // of groups of rows, together no more than there are, or twos
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

inline constexpr int kEveryOperand = -1;

struct InputRule {
  int operand = kEveryOperand;  // kEveryOperand: all that have no rule of their own
  Demand demand = Demand::kNone;
  double low = 0, high = 0;  // for kRange, kVariance and kOrder
  double away = 0;           // |x| is at least this; an integer is not 0 under any policy
  // Values beyond these have no specified result. No policy draws them.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

struct OpRules {
  std::string_view op;
  // Empty: the result is the exact value, rounded once.
  std::optional<Accuracy> accuracy;
  // A complex result may be this many ULPs from the exact value, relative to the modulus, in both parts.
  double complex_ulps = 16;
  ComplexMeasure complex_measure = ComplexMeasure::kModulus;
  std::array<InputRule, 3> inputs = {};
};

// Returns all rows, sorted by name.
std::span<const OpRules> AllOpRules();

// Returns the row of an op, or null if it has none.
const OpRules* FindOpRules(std::string_view op);

// Returns the rules of one operand. A broadcasting op of CHLO has those of the op that it broadcasts for.
std::vector<const InputRule*> InputRulesOf(std::string_view op, unsigned operand);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_RULES_OP_RULES_H_
