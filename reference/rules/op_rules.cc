// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/rules/op_rules.h"

#include <algorithm>

#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

using enum ComplexMeasure;
using enum Demand;

constexpr double kPositive = std::numeric_limits<double>::denorm_min();

// Sources of an accuracy. CL: OpenCL C 3.0 specification, table "ULP values for single / double / half precision
// built-in math functions" (full profile). IEEE: correctly rounded, one ULP granted. sum: the errors of the steps of
// the textbook formula in the element type, added up.
//
// In its range an op is defined, well-conditioned and far from overflow. CHLO only names its special functions: at
// poles, and where their series are not defined, conventions differ.
constexpr OpRules kRules[] = {
    {.op = "chlo.acos", .accuracy = Accuracy{4, 4, 2}, .inputs = {{{0, kRange, -0.95, 0.95}}}},   // CL
    {.op = "chlo.acosh", .accuracy = Accuracy{4, 4, 2}, .inputs = {{{0, kRange, 1.1, 8}}}},       // CL
    {.op = "chlo.asin", .accuracy = Accuracy{4, 4, 2}, .inputs = {{{0, kRange, -0.95, 0.95}}}},   // CL
    {.op = "chlo.asinh", .accuracy = Accuracy{4, 4, 2}},                                          // CL
    {.op = "chlo.atan", .accuracy = Accuracy{5, 5, 2}},                                           // CL
    {.op = "chlo.atanh", .accuracy = Accuracy{5, 5, 2}, .inputs = {{{0, kRange, -0.95, 0.95}}}},  // CL
    {.op = "chlo.bessel_i1e", .accuracy = Accuracy{32, 32, 4}},  // Chebyshev series of 25 terms
    {.op = "chlo.conj", .complex_ulps = 0},
    {.op = "chlo.cosh", .accuracy = Accuracy{4, 4, 2}, .inputs = {{{0, kRange, -4, 4}}}},  // CL
    {.op = "chlo.digamma",
     .accuracy = Accuracy{.f64 = 64, .f32 = 64, .narrow = 4, .absolute = 24},  // Lanczos sum, cancels at its root
     .inputs = {{{0, kRange, 0.2, 10, 0, kPositive, kInf}}}},
    {.op = "chlo.erf", .accuracy = Accuracy{16, 16, 4}, .inputs = {{{0, kRange, -3, 3}}}},  // CL
    {.op = "chlo.erf_inv",
     .accuracy = Accuracy{32, 32, 4},  // polynomial in log1p(-x^2)
     .inputs = {{{0, kRange, -0.99, 0.99}}}},
    {.op = "chlo.erfc",
     .accuracy = Accuracy{.f64 = 16, .f32 = 16, .narrow = 4, .exponential = true},  // CL
     .inputs = {{{0, kRange, -3, 3}}}},
    {.op = "chlo.is_inf", .inputs = {{{0, kSpecials}}}},
    {.op = "chlo.is_neg_inf", .inputs = {{{0, kSpecials}}}},
    {.op = "chlo.is_pos_inf", .inputs = {{{0, kSpecials}}}},
    {.op = "chlo.lgamma",
     .accuracy = Accuracy{.f64 = 64, .f32 = 64, .narrow = 4, .absolute = 40},  // Lanczos sum, cancels at 1 and 2
     .inputs = {{{0, kRange, 0.2, 10, 0, kPositive, kInf}}}},
    {.op = "chlo.mulhi", .inputs = {{{kEveryOperand, kBits}}}},
    {.op = "chlo.next_after"},
    {.op = "chlo.polygamma",
     .accuracy = Accuracy{512, 512, 8},  // zeta times gamma through logarithms
     .inputs = {{{0, kOrder, 1, 4, 0, 1, 4}, {1, kRange, 0.5, 8, 0, 0x1p-7, 0x1p7}}}},
    {.op = "chlo.ragged_dot", .inputs = {{{2, kGroupSizes}}}},
    {.op = "chlo.sinh", .accuracy = Accuracy{4, 4, 2}, .inputs = {{{0, kRange, -4, 4}}}},     // CL
    {.op = "chlo.square", .accuracy = Accuracy{1, 1, 1}},                                     // IEEE
    {.op = "chlo.tan", .accuracy = Accuracy{5, 5, 2}, .inputs = {{{0, kRange, -1.4, 1.4}}}},  // CL
    {.op = "chlo.top_k", .inputs = {{{0, kDistinct}}}},
    {.op = "chlo.zeta",
     .accuracy = Accuracy{256, 256, 8},  // Euler-Maclaurin
     .inputs = {{{0, kRange, 1.5, 6, 0, 1.25, 8}, {1, kRange, 0.5, 8, 0, 0x1p-7, 0x1p7}}}},
    {.op = "sdy.sharding_constraint", .inputs = {{{0, kPasses}}}},
    {.op = "stablehlo.abs"},
    {.op = "stablehlo.add", .complex_ulps = 0, .inputs = {{{kEveryOperand, kPassesSums}}}},
    {.op = "stablehlo.and", .inputs = {{{kEveryOperand, kBits}}}},
    {.op = "stablehlo.atan2",
     .accuracy = Accuracy{6, 6, 2},  // CL
     .complex_measure = kAtLeastOne,
     .inputs = {{{kEveryOperand, kRange, -4, 4, 0.1}}}},
    {.op = "stablehlo.batch_norm_grad", .inputs = {{{3, kRange, 0.25, 2}}}},
    {.op = "stablehlo.batch_norm_inference", .inputs = {{{4, kVariance, 0.25, 2}}}},
    {.op = "stablehlo.batch_norm_training", .inputs = {{{0, kSpread}}}},
    {.op = "stablehlo.bitcast_convert"},
    {.op = "stablehlo.broadcast", .inputs = {{{kEveryOperand, kPasses}}}},
    {.op = "stablehlo.broadcast_in_dim", .inputs = {{{kEveryOperand, kPasses}}}},
    {.op = "stablehlo.case", .inputs = {{{kEveryOperand, kIndex}}}},
    {.op = "stablehlo.cbrt", .accuracy = Accuracy{2, 2, 2}},  // CL
    {.op = "stablehlo.ceil", .inputs = {{{0, kRange, -50, 50}}}},
    {.op = "stablehlo.cholesky", .inputs = {{{0, kDefinite}}}},
    {.op = "stablehlo.clamp",
     .accuracy = Accuracy{0, 0, 0},  // exact
     .inputs = {{{0, kRange, -1, -0.5}, {2, kRange, 0.5, 1}}}},
    {.op = "stablehlo.compare", .inputs = {{{kEveryOperand, kCoarse}}}},
    {.op = "stablehlo.complex", .complex_ulps = 0},
    {.op = "stablehlo.composite", .inputs = {{{kEveryOperand, kCallee}}}},
    {.op = "stablehlo.concatenate", .inputs = {{{kEveryOperand, kPasses}}}},
    {.op = "stablehlo.convert", .inputs = {{{0, kConversion}}}},
    {.op = "stablehlo.convolution", .inputs = {{{kEveryOperand, kRange, -1, 1}}}},
    {.op = "stablehlo.cosine", .accuracy = Accuracy{4, 4, 2}, .inputs = {{{0, kRange, -6, 6}}}},  // CL
    {.op = "stablehlo.count_leading_zeros", .inputs = {{{kEveryOperand, kBits}}}},
    {.op = "stablehlo.custom_call", .inputs = {{{kEveryOperand, kPasses}}}},
    {.op = "stablehlo.divide",
     .accuracy = Accuracy{.f64 = 1, .f32 = 1, .narrow = 1, .ieee = true},  // IEEE
     .complex_ulps = 8,
     .inputs = {{{0, kDividend}, {1, kRange, -4, 4, 0.5}}}},
    {.op = "stablehlo.dot", .inputs = {{{kEveryOperand, kRange, -1, 1}}}},
    {.op = "stablehlo.dot_general", .inputs = {{{kEveryOperand, kRange, -1, 1}}}},
    {.op = "stablehlo.dynamic_gather", .inputs = {{{kEveryOperand, kIndex}}}},
    {.op = "stablehlo.dynamic_slice", .inputs = {{{kEveryOperand, kIndex}}}},
    {.op = "stablehlo.dynamic_update_slice", .inputs = {{{kEveryOperand, kIndex}}}},
    {.op = "stablehlo.exponential", .accuracy = Accuracy{3, 3, 2}, .inputs = {{{0, kRange, -4, 4}}}},            // CL
    {.op = "stablehlo.exponential_minus_one", .accuracy = Accuracy{3, 3, 2}, .inputs = {{{0, kRange, -4, 4}}}},  // CL
    {.op = "stablehlo.floor", .inputs = {{{0, kRange, -50, 50}}}},
    {.op = "stablehlo.gather", .inputs = {{{kEveryOperand, kIndex}}}},
    {.op = "stablehlo.imag", .complex_ulps = 0},
    {.op = "stablehlo.is_finite", .inputs = {{{0, kSpecials}}}},
    {.op = "stablehlo.log", .accuracy = Accuracy{3, 3, 2}, .inputs = {{{0, kRange, 0.1, 8}}}},            // CL
    {.op = "stablehlo.log_plus_one", .accuracy = Accuracy{2, 2, 2}, .inputs = {{{0, kRange, -0.9, 8}}}},  // CL
    {.op = "stablehlo.logistic",
     .accuracy =
         Accuracy{.f64 = 8, .f32 = 8, .narrow = 3, .absolute = 2},  // sum; (1 + tanh(x/2)) / 2 loses low bits below 0
     .complex_measure = kPoles,
     .inputs = {{{0, kRange, -6, 6}}}},
    {.op = "stablehlo.maximum", .accuracy = Accuracy{0, 0, 0}, .inputs = {{{kEveryOperand, kTies}}}},  // exact
    {.op = "stablehlo.minimum", .accuracy = Accuracy{0, 0, 0}, .inputs = {{{kEveryOperand, kTies}}}},  // exact
    {.op = "stablehlo.multiply", .complex_ulps = 4},
    {.op = "stablehlo.negate", .complex_ulps = 0, .inputs = {{{kEveryOperand, kPasses}}}},
    {.op = "stablehlo.not", .inputs = {{{kEveryOperand, kBits}}}},
    {.op = "stablehlo.optimization_barrier", .inputs = {{{kEveryOperand, kPasses}}}},
    {.op = "stablehlo.or", .inputs = {{{kEveryOperand, kBits}}}},
    {.op = "stablehlo.pad", .inputs = {{{kEveryOperand, kPasses}}}},
    {.op = "stablehlo.popcnt", .inputs = {{{kEveryOperand, kBits}}}},
    {.op = "stablehlo.power",
     .accuracy = Accuracy{16, 16, 4},  // CL
     .complex_ulps = 64,
     .inputs = {{{0, kRange, 0.25, 4}, {1, kRange, -3, 3}, {1, kSmallExponent}}}},
    {.op = "stablehlo.real", .complex_ulps = 0},
    {.op = "stablehlo.real_dynamic_slice", .inputs = {{{1, kStatic}, {2, kStatic}, {3, kStatic}}}},
    {.op = "stablehlo.reduce", .inputs = {{{kEveryOperand, kFactors}}}},
    {.op = "stablehlo.reduce_precision"},
    {.op = "stablehlo.reduce_window", .inputs = {{{kEveryOperand, kFactors}}}},
    {.op = "stablehlo.remainder", .inputs = {{{0, kRange, -20, 20}, {0, kDividend}, {1, kRange, -4, 4, 0.5}}}},
    {.op = "stablehlo.reshape", .inputs = {{{kEveryOperand, kPasses}}}},
    {.op = "stablehlo.reverse", .inputs = {{{kEveryOperand, kPasses}}}},
    {.op = "stablehlo.rng", .inputs = {{{0, kRange, -100, 0}, {1, kRange, 1, 100}}}},
    {.op = "stablehlo.round_nearest_afz", .inputs = {{{0, kRange, -50, 50}}}},
    {.op = "stablehlo.round_nearest_even", .inputs = {{{0, kRange, -50, 50}}}},
    {.op = "stablehlo.rsqrt", .accuracy = Accuracy{2, 2, 1}, .inputs = {{{0, kRange, 0.05, 8}}}},  // CL
    {.op = "stablehlo.scatter", .inputs = {{{kEveryOperand, kIndex}}}},
    {.op = "stablehlo.select"},
    {.op = "stablehlo.select_and_scatter", .inputs = {{{2, kFactors}}}},
    {.op = "stablehlo.shift_left", .inputs = {{{0, kBits}, {1, kShiftAmount}}}},
    {.op = "stablehlo.shift_right_arithmetic", .inputs = {{{0, kBits}, {1, kShiftAmount}}}},
    {.op = "stablehlo.shift_right_logical", .inputs = {{{0, kBits}, {1, kShiftAmount}}}},
    {.op = "stablehlo.sign"},
    {.op = "stablehlo.sine", .accuracy = Accuracy{4, 4, 2}, .inputs = {{{0, kRange, -6, 6}}}},  // CL
    {.op = "stablehlo.slice", .inputs = {{{kEveryOperand, kPasses}}}},
    {.op = "stablehlo.sort", .inputs = {{{kEveryOperand, kDistinct}}}},
    {.op = "stablehlo.sqrt",
     .accuracy = Accuracy{.f64 = 1, .f32 = 1, .narrow = 1, .ieee = true},  // IEEE
     .inputs = {{{0, kRange, 0.05, 8}}}},
    {.op = "stablehlo.subtract", .complex_ulps = 0},
    {.op = "stablehlo.tan", .accuracy = Accuracy{5, 5, 2}, .inputs = {{{0, kRange, -1.4, 1.4}}}},  // CL
    {.op = "stablehlo.tanh", .accuracy = Accuracy{5, 5, 2}, .inputs = {{{0, kRange, -4, 4}}}},     // CL
    {.op = "stablehlo.torch_index_select", .inputs = {{{kEveryOperand, kIndex}}}},
    {.op = "stablehlo.transpose", .inputs = {{{kEveryOperand, kPasses}}}},
    {.op = "stablehlo.triangular_solve", .inputs = {{{0, kTriangular}}}},
    {.op = "stablehlo.while", .inputs = {{{kEveryOperand, kRegions}}}},
    {.op = "stablehlo.xor", .inputs = {{{kEveryOperand, kBits}}}},
};
static_assert(std::ranges::is_sorted(kRules, {}, &OpRules::op));

// Returns the name of the op that a broadcasting op of CHLO broadcasts for, in StableHLO or CHLO.
std::string_view WithoutBroadcast(std::string_view op) {
  constexpr std::string_view kPrefix = "chlo.broadcast_";
  if (!op.starts_with(kPrefix)) return op;
  for (const OpRules& rules : kRules) {
    const bool elsewhere = rules.op.starts_with("stablehlo.") || rules.op.starts_with("chlo.");
    if (elsewhere && rules.op.substr(rules.op.find('.') + 1) == op.substr(kPrefix.size())) return rules.op;
  }
  return op;
}

}  // namespace

std::span<const OpRules> AllOpRules() { return kRules; }

const OpRules* FindOpRules(std::string_view op) {
  const OpRules* found = std::ranges::lower_bound(kRules, op, {}, &OpRules::op);
  return found != std::end(kRules) && found->op == op ? found : nullptr;
}

std::vector<const InputRule*> InputRulesOf(std::string_view op, unsigned operand) {
  std::vector<const InputRule*> own, common;
  const OpRules* rules = FindOpRules(WithoutBroadcast(op));
  if (rules == nullptr) return own;
  for (const InputRule& rule : rules->inputs) {
    if (rule.demand == kNone) continue;
    if (rule.operand == static_cast<int>(operand)) own.push_back(&rule);
    if (rule.operand == kEveryOperand) common.push_back(&rule);
  }
  return own.empty() ? common : own;
}

}  // namespace opbyop::reference
