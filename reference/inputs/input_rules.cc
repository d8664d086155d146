// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/input_rules.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace opbyop::reference {
namespace {

using enum Demand;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kPositive = std::numeric_limits<double>::denorm_min();

// Sorted by name. In its range an op is defined, well-conditioned and far from overflow. CHLO only names its special
// functions: at poles, and where their series are not defined, conventions differ.
constexpr InputRule kRules[] = {
    {"check.expect_almost_eq", -1, kAny},
    {"check.expect_almost_eq_const", -1, kAny},
    {"check.expect_close", -1, kAny},
    {"check.expect_eq", -1, kAny},
    {"check.expect_eq_const", -1, kAny},
    {"check.expect_serialized_eq", -1, kAny},
    {"chlo._asin_acos_kernel", -1, kAny},
    {"chlo.acos", 0, kRange, -0.95, 0.95},
    {"chlo.acosh", 0, kRange, 1.1, 8},
    {"chlo.asin", 0, kRange, -0.95, 0.95},
    {"chlo.asinh", -1, kAny},
    {"chlo.atan", -1, kAny},
    {"chlo.atanh", 0, kRange, -0.95, 0.95},
    {"chlo.bessel_i1e", -1, kAny},
    {"chlo.conj", -1, kAny},
    {"chlo.constant_like", -1, kAny},
    {"chlo.cosh", 0, kRange, -4, 4},
    {"chlo.digamma", 0, kRange, 0.2, 10, 0, kPositive, kInf},
    {"chlo.erf", 0, kRange, -3, 3},
    {"chlo.erf_inv", 0, kRange, -0.99, 0.99},
    {"chlo.erfc", 0, kRange, -3, 3},
    {"chlo.is_inf", 0, kSpecials},
    {"chlo.is_neg_inf", 0, kSpecials},
    {"chlo.is_pos_inf", 0, kSpecials},
    {"chlo.lgamma", 0, kRange, 0.2, 10, 0, kPositive, kInf},
    {"chlo.mulhi", -1, kBits},
    {"chlo.next_after", -1, kAny},
    {"chlo.polygamma", 0, kOrder, 1, 4, 0, 1, 4},
    {"chlo.polygamma", 1, kRange, 0.5, 8, 0, 0x1p-7, 0x1p7},
    {"chlo.ragged_dot", 2, kRange, 0, 2},
    {"chlo.ragged_dot", -1, kAny},
    {"chlo.scan", -1, kAny},
    {"chlo.sinh", 0, kRange, -4, 4},
    {"chlo.square", -1, kAny},
    {"chlo.tan", 0, kRange, -1.4, 1.4},
    {"chlo.top_k", 0, kDistinct},
    {"chlo.zeta", 0, kRange, 1.5, 6, 0, 1.25, 8},
    {"chlo.zeta", 1, kRange, 0.5, 8, 0, 0x1p-7, 0x1p7},
    {"interpreter.print", -1, kAny},
    {"interpreter.probe", -1, kAny},
    {"interpreter.run_parallel", -1, kAny},
    {"sdy.all_gather", -1, kAny},
    {"sdy.all_reduce", -1, kAny},
    {"sdy.all_slice", -1, kAny},
    {"sdy.all_to_all", -1, kAny},
    {"sdy.collective_permute", -1, kAny},
    {"sdy.data_flow_edge", -1, kAny},
    {"sdy.func_data_flow_edge", -1, kAny},
    {"sdy.manual_computation", -1, kAny},
    {"sdy.named_computation", -1, kAny},
    {"sdy.propagation_barrier", -1, kAny},
    {"sdy.reduce_scatter", -1, kAny},
    {"sdy.replicated_to_unreduced", -1, kAny},
    {"sdy.reshard", -1, kAny},
    {"sdy.return", -1, kAny},
    {"sdy.sharded_to_unreduced", -1, kAny},
    {"sdy.sharding_constraint", 0, kPasses},
    {"sdy.sharding_group", -1, kAny},
    {"stablehlo.abs", -1, kAny},
    {"stablehlo.add", -1, kPassesSums},
    {"stablehlo.all_gather", -1, kAny},
    {"stablehlo.all_reduce", -1, kAny},
    {"stablehlo.all_to_all", -1, kAny},
    {"stablehlo.and", -1, kBits},
    {"stablehlo.async_done", -1, kAny},
    {"stablehlo.async_start", -1, kAny},
    {"stablehlo.atan2", -1, kRange, -4, 4, 0.1},
    {"stablehlo.batch_norm_grad", 0, kAny},
    {"stablehlo.batch_norm_grad", 1, kAny},
    {"stablehlo.batch_norm_grad", 2, kAny},
    {"stablehlo.batch_norm_grad", 3, kRange, 0.25, 2},
    {"stablehlo.batch_norm_grad", 4, kAny},
    {"stablehlo.batch_norm_inference", 0, kAny},
    {"stablehlo.batch_norm_inference", 1, kAny},
    {"stablehlo.batch_norm_inference", 2, kAny},
    {"stablehlo.batch_norm_inference", 3, kAny},
    {"stablehlo.batch_norm_inference", 4, kVariance, 0.25, 2},
    {"stablehlo.batch_norm_training", -1, kAny},
    {"stablehlo.batch_norm_training", 0, kSpread},
    {"stablehlo.bitcast_convert", -1, kAny},
    {"stablehlo.broadcast", -1, kPasses},
    {"stablehlo.broadcast_in_dim", -1, kPasses},
    {"stablehlo.case", -1, kIndex},
    {"stablehlo.cbrt", -1, kAny},
    {"stablehlo.ceil", 0, kRange, -50, 50},
    {"stablehlo.cholesky", 0, kDefinite},
    {"stablehlo.clamp", 0, kRange, -1, -0.5},
    {"stablehlo.clamp", 1, kAny},
    {"stablehlo.clamp", 2, kRange, 0.5, 1},
    {"stablehlo.collective_broadcast", -1, kAny},
    {"stablehlo.collective_permute", -1, kAny},
    {"stablehlo.collective_reduce", -1, kAny},
    {"stablehlo.compare", -1, kCoarse},
    {"stablehlo.complex", -1, kAny},
    {"stablehlo.composite", -1, kCallee},
    {"stablehlo.concatenate", -1, kPasses},
    {"stablehlo.convert", 0, kConversion},
    {"stablehlo.convolution", -1, kRange, -1, 1},
    {"stablehlo.cosine", 0, kRange, -6, 6},
    {"stablehlo.count_leading_zeros", -1, kBits},
    {"stablehlo.cross-replica-sum", -1, kAny},
    {"stablehlo.custom_call", -1, kPasses},
    {"stablehlo.divide", 0, kDividend},
    {"stablehlo.divide", 1, kRange, -4, 4, 0.5},
    {"stablehlo.dot", -1, kRange, -1, 1},
    {"stablehlo.dot_general", -1, kRange, -1, 1},
    {"stablehlo.dynamic_broadcast_in_dim", -1, kAny},
    {"stablehlo.dynamic_conv", -1, kAny},
    {"stablehlo.dynamic_gather", -1, kIndex},
    {"stablehlo.dynamic_pad", -1, kAny},
    {"stablehlo.dynamic_reshape", -1, kAny},
    {"stablehlo.dynamic_slice", -1, kIndex},
    {"stablehlo.dynamic_update_slice", -1, kIndex},
    {"stablehlo.einsum", -1, kAny},
    {"stablehlo.exponential", 0, kRange, -4, 4},
    {"stablehlo.exponential_minus_one", 0, kRange, -4, 4},
    {"stablehlo.fft", -1, kAny},
    {"stablehlo.floor", 0, kRange, -50, 50},
    {"stablehlo.gather", -1, kIndex},
    {"stablehlo.get_dimension_size", -1, kAny},
    {"stablehlo.get_tuple_element", -1, kAny},
    {"stablehlo.if", -1, kAny},
    {"stablehlo.imag", -1, kAny},
    {"stablehlo.is_finite", 0, kSpecials},
    {"stablehlo.log", 0, kRange, 0.1, 8},
    {"stablehlo.log_plus_one", 0, kRange, -0.9, 8},
    {"stablehlo.logistic", 0, kRange, -6, 6},
    {"stablehlo.map", -1, kAny},
    {"stablehlo.maximum", -1, kTies},
    {"stablehlo.minimum", -1, kTies},
    {"stablehlo.multiply", -1, kAny},
    {"stablehlo.negate", -1, kPasses},
    {"stablehlo.not", -1, kBits},
    {"stablehlo.optimization_barrier", -1, kPasses},
    {"stablehlo.or", -1, kBits},
    {"stablehlo.outfeed", -1, kAny},
    {"stablehlo.pad", -1, kPasses},
    {"stablehlo.popcnt", -1, kBits},
    {"stablehlo.power", 0, kRange, 0.25, 4},
    {"stablehlo.power", 1, kRange, -3, 3},
    {"stablehlo.power", 1, kSmallExponent},
    {"stablehlo.real", -1, kAny},
    {"stablehlo.real_dynamic_slice", 0, kAny},
    {"stablehlo.real_dynamic_slice", -1, kStatic},
    {"stablehlo.reduce", -1, kFactors},
    {"stablehlo.reduce_precision", -1, kAny},
    {"stablehlo.reduce_scatter", -1, kAny},
    {"stablehlo.reduce_window", -1, kFactors},
    {"stablehlo.remainder", 0, kRange, -20, 20},
    {"stablehlo.remainder", 0, kDividend},
    {"stablehlo.remainder", 1, kRange, -4, 4, 0.5},
    {"stablehlo.reshape", -1, kPasses},
    {"stablehlo.return", -1, kAny},
    {"stablehlo.reverse", -1, kPasses},
    {"stablehlo.rng", 0, kRange, -100, 0},
    {"stablehlo.rng", 1, kRange, 1, 100},
    {"stablehlo.rng_bit_generator", -1, kAny},
    {"stablehlo.round_nearest_afz", 0, kRange, -50, 50},
    {"stablehlo.round_nearest_even", 0, kRange, -50, 50},
    {"stablehlo.rsqrt", 0, kRange, 0.05, 8},
    {"stablehlo.scatter", -1, kIndex},
    {"stablehlo.select", -1, kAny},
    {"stablehlo.select_and_scatter", 0, kAny},
    {"stablehlo.select_and_scatter", 1, kAny},
    {"stablehlo.select_and_scatter", 2, kFactors},
    {"stablehlo.send", -1, kAny},
    {"stablehlo.set_dimension_size", -1, kAny},
    {"stablehlo.shift_left", 0, kBits},
    {"stablehlo.shift_left", 1, kShiftAmount},
    {"stablehlo.shift_right_arithmetic", 0, kBits},
    {"stablehlo.shift_right_arithmetic", 1, kShiftAmount},
    {"stablehlo.shift_right_logical", 0, kBits},
    {"stablehlo.shift_right_logical", 1, kShiftAmount},
    {"stablehlo.sign", -1, kAny},
    {"stablehlo.sine", 0, kRange, -6, 6},
    {"stablehlo.slice", -1, kPasses},
    {"stablehlo.sort", -1, kDistinct},
    {"stablehlo.sqrt", 0, kRange, 0.05, 8},
    {"stablehlo.subtract", -1, kAny},
    {"stablehlo.tan", 0, kRange, -1.4, 1.4},
    {"stablehlo.tanh", 0, kRange, -4, 4},
    {"stablehlo.torch_index_select", -1, kIndex},
    {"stablehlo.transpose", -1, kPasses},
    {"stablehlo.triangular_solve", 0, kTriangular},
    {"stablehlo.triangular_solve", 1, kAny},
    {"stablehlo.tuple", -1, kAny},
    {"stablehlo.unary_einsum", -1, kAny},
    {"stablehlo.uniform_dequantize", -1, kAny},
    {"stablehlo.uniform_quantize", -1, kAny},
    {"stablehlo.while", -1, kRegions},
    {"stablehlo.xor", -1, kBits},
};

// Returns the name of the op that a broadcasting op of CHLO broadcasts for, in StableHLO or CHLO.
std::string_view WithoutBroadcast(std::string_view op) {
  constexpr std::string_view kPrefix = "chlo.broadcast_";
  if (!op.starts_with(kPrefix)) return op;
  for (const InputRule& rule : kRules) {
    const std::string_view own = rule.op.substr(rule.op.find('.') + 1);
    const bool elsewhere = rule.op.starts_with("stablehlo.") || rule.op.starts_with("chlo.");
    if (elsewhere && own == op.substr(kPrefix.size())) return rule.op;
  }
  return op;
}

}  // namespace

llvm::ArrayRef<InputRule> AllInputRules() { return kRules; }

std::vector<const InputRule*> InputRulesOf(std::string_view op, unsigned operand) {
  static const auto* const kByOp = [] {
    auto* map = new llvm::StringMap<llvm::SmallVector<const InputRule*>>();
    for (const InputRule& rule : kRules) (*map)[llvm::StringRef(rule.op)].push_back(&rule);
    return map;
  }();
  const std::string_view name = WithoutBroadcast(op);
  const auto found = kByOp->find(llvm::StringRef(name));
  std::vector<const InputRule*> own;
  std::vector<const InputRule*> common;
  if (found == kByOp->end()) return own;
  for (const InputRule* rule : found->second) {
    if (rule->operand == static_cast<int>(operand)) own.push_back(rule);
    if (rule->operand < 0) common.push_back(rule);
  }
  return own.empty() ? common : own;
}

}  // namespace opbyop::reference
