#include "reports/op_kind.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace opbyop::reports {
namespace {

struct Kind {
  std::string_view name;
  std::string_view ops;  // blank-separated mnemonics of stablehlo and chlo
};

constexpr std::array kKinds = {
    Kind{
        "Eltwise unary",
        "abs cbrt ceil convert bitcast_convert cosine count_leading_zeros exponential exponential_minus_one floor imag "
        "is_finite log log_plus_one logistic negate not popcnt real reduce_precision round_nearest_afz "
        "round_nearest_even rsqrt sign sine sqrt tan tanh uniform_quantize uniform_dequantize acos acosh asin asinh "
        "atan atanh bessel_i1e conj cosh digamma erf erf_inv erfc is_inf is_neg_inf is_pos_inf lgamma sinh square"},
    Kind{"Eltwise binary",
         "add and atan2 compare complex divide maximum minimum multiply or power remainder shift_left "
         "shift_right_arithmetic shift_right_logical subtract xor next_after polygamma zeta broadcast_add "
         "broadcast_and broadcast_atan2 broadcast_compare broadcast_complex broadcast_divide broadcast_maximum "
         "broadcast_minimum broadcast_multiply broadcast_next_after broadcast_or broadcast_power broadcast_remainder "
         "broadcast_shift_left broadcast_shift_right_arithmetic broadcast_shift_right_logical broadcast_subtract "
         "broadcast_xor broadcast_zeta broadcast_polygamma"},
    Kind{"Eltwise ternary", "clamp select map broadcast_select"},
    Kind{"Data movement",
         "broadcast broadcast_in_dim concatenate dynamic_broadcast_in_dim dynamic_gather dynamic_pad dynamic_reshape "
         "dynamic_slice dynamic_update_slice gather pad real_dynamic_slice reshape reverse scatter slice sort "
         "torch_index_select transpose top_k"},
    Kind{"Tensor creation", "constant constant_like iota dynamic_iota create_token get_dimension_size"},
    Kind{"Matmul", "dot dot_general einsum unary_einsum ragged_dot"},
    Kind{"Convolution", "convolution dynamic_conv"},
    Kind{"Reduction", "reduce reduce_window select_and_scatter"},
    Kind{"Normalization", "batch_norm_grad batch_norm_inference batch_norm_training"},
    Kind{"Linear algebra", "cholesky triangular_solve fft"},
    Kind{"Random", "rng rng_bit_generator"},
    Kind{"Control flow", "case if while optimization_barrier tuple get_tuple_element after_all return"},
    Kind{"Collective",
         "all_gather all_reduce all_to_all collective_broadcast collective_permute cross-replica-sum partition_id "
         "reduce_scatter replica_id infeed outfeed recv send"},
    Kind{"Composite", "composite"},
    Kind{"Custom call", "custom_call"},
};

std::unordered_map<std::string_view, std::string_view> MakeTable() {
  std::unordered_map<std::string_view, std::string_view> table;
  for (const Kind& kind : kKinds) {
    std::string_view rest = kind.ops;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(' '), rest.size());
      if (end > 0) table.emplace(rest.substr(0, end), kind.name);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return table;
}

}  // namespace

std::string_view OpKind(std::string_view op) {
  static const auto* const table = new std::unordered_map<std::string_view, std::string_view>(MakeTable());
  const size_t dot = op.find('.');
  const auto found = table->find(dot == std::string_view::npos ? op : op.substr(dot + 1));
  return found == table->end() ? "Other" : found->second;
}

std::string OpLabel(const Case& c) { return c.target.empty() ? c.op : c.op + " @" + c.target; }

}  // namespace opbyop::reports
