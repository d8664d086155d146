// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/vhlo_ops.h"

#include <algorithm>

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

namespace opbyop::vhlo {
namespace {

using enum Rule;
using Properties = std::vector<Property>;

Properties Join(Properties head, const Properties& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

std::vector<VhloOp> MakeTable() {
  // Lists that several ops or several versions of one op share.
  const Properties kNone;
  const Properties kAccuracy = {{"result_accuracy", kNonDefault}};
  const Properties kBatchNorm = {{"epsilon"}, {"feature_index"}};
  const Properties kAllGather = {
      {"all_gather_dim"}, {"replica_groups"}, {"channel_id"}, {"use_global_device_ids", kUnit}};
  const Properties kAllReduce = {{"replica_groups"}, {"channel_id"}, {"use_global_device_ids", kUnit}};
  const Properties kAllToAll = {
      {"split_dimension"}, {"concat_dimension"}, {"split_count"}, {"replica_groups"}, {"channel_id"}};
  const Properties kComposite = {
      {"name"}, {"composite_attributes", kNonEmpty}, {"decomposition", kSymbol}, {"version", kNonZero}};
  const Properties kConvolutionWindow = {
      {"lhs_dilation", kArrayNonOne}, {"rhs_dilation", kArrayNonOne}, {"window_reversal", kBoolArray}};
  const Properties kConvolutionNumbers = {{"input_batch_dimension"},
                                          {"input_feature_dimension"},
                                          {"input_spatial_dimensions", kArray},
                                          {"kernel_input_feature_dimension"},
                                          {"kernel_output_feature_dimension"},
                                          {"kernel_spatial_dimensions", kArray},
                                          {"output_batch_dimension"},
                                          {"output_feature_dimension"},
                                          {"output_spatial_dimensions", kArray},
                                          {"feature_group_count"},
                                          {"batch_group_count"},
                                          {"precision_config", kPrecisions}};
  const Properties kConvolution = Join(kConvolutionWindow, kConvolutionNumbers);
  const Properties kCustomCall = {
      {"call_target_name"},         {"has_side_effect", kNonZero},        {"backend_config", kNonEmpty},
      {"api_version", kApiVersion}, {"called_computations", kSymbols},    {"operand_layouts"},
      {"result_layouts"},           {"output_operand_aliases", kNonEmpty}};
  const Properties kDotGeneral = {{"lhs_batching_dimensions", kArray},
                                  {"rhs_batching_dimensions", kArray},
                                  {"lhs_contracting_dimensions", kArray},
                                  {"rhs_contracting_dimensions", kArray},
                                  {"precision_config", kPrecisions}};
  const Properties kGatherOld = {{"offset_dims", kArray}, {"collapsed_slice_dims", kArray}};
  const Properties kGatherNew =
      Join(kGatherOld, {{"operand_batching_dims", kArray}, {"start_indices_batching_dims", kArray}});
  const Properties kGatherMap = {{"start_index_map", kArray}, {"index_vector_dim"}};
  const Properties kSorted = {{"indices_are_sorted", kNonZero}};
  const Properties kSliceSizesSorted = Join({{"slice_sizes", kArray}}, kSorted);
  const Properties kScatterOld = {{"update_window_dims", kArray}, {"inserted_window_dims", kArray}};
  const Properties kScatterNew =
      Join(kScatterOld, {{"input_batching_dims", kArray}, {"scatter_indices_batching_dims", kArray}});
  const Properties kScatterMap = {{"scatter_dims_to_operand_dims", kArray},
                                  {"index_vector_dim"},
                                  {"indices_are_sorted", kNonZero},
                                  {"unique_indices", kNonZero}};
  const Properties kTransfer = {{"channel_id"}, {"channel_type"}, {"is_host_transfer", kNonZero}};
  const Properties kTransferPairs = Join(kTransfer, {{"source_target_pairs", kNonEmpty}});

  return {
      {"abs_v1", kNone},
      {"add_v1", kNone},
      {"after_all_v1", kNone},
      {"all_gather_v1", kAllGather},
      {"all_gather_v2", kAllGather, {1, 5, 0}},
      {"all_reduce_v1", kAllReduce},
      {"all_reduce_v2", kAllReduce, {1, 5, 0}},
      {"all_to_all_v1", kAllToAll},
      {"all_to_all_v2", kAllToAll, {1, 5, 0}},
      {"and_v1", kNone},
      {"async_done_v1", kNone, {1, 15, 0}},
      {"async_start_v1", kNone, {1, 15, 0}},
      {"atan2_v1", kNone},
      {"batch_norm_grad_v1", kBatchNorm},
      {"batch_norm_inference_v1", kBatchNorm},
      {"batch_norm_training_v1", kBatchNorm},
      {"bitcast_convert_v1", kNone},
      {"broadcast_in_dim_v1", {{"broadcast_dimensions", kArray}}},
      {"broadcast_v1", {{"broadcast_sizes", kArray}}},
      {"call_v1", {{"callee", kSymbol}}},
      {"case_v1", kNone},
      {"cbrt_v1", kNone},
      {"cbrt_v2", kAccuracy, {1, 10, 0}},
      {"ceil_v1", kNone},
      {"cholesky_v1", {{"lower", kNonZero}}},
      {"clamp_v1", kNone},
      {"collective_broadcast_v1", {{"replica_groups"}, {"channel_id"}}, {0, 16, 0}},
      {"collective_broadcast_v2", {{"replica_groups"}, {"channel_id"}, {"has_dynamic_root", kUnit}}, {1, 20, 0}},
      {"collective_permute_v1", {{"source_target_pairs"}, {"channel_id"}}},
      {"collective_reduce_v1",
       {{"replica_groups"}, {"channel_id"}, {"has_dynamic_root", kUnit}, {"use_global_device_ids", kUnit}},
       {1, 19, 0}},
      {"compare_v1", {{"comparison_direction"}, {"compare_type", kNonDefault}}},
      {"complex_v1", kNone},
      {"composite_v1", kComposite, {0, 19, 0}},
      {"composite_v2", kComposite, {1, 14, 0}},
      {"concatenate_v1", {{"dimension"}}},
      {"constant_v1", {{"value"}}},
      {"convert_v1", kNone},
      {"convolution_v1", Join({{"window_strides", kArrayNonOne}, {"padding", kNonZero}}, kConvolution)},
      {"cosine_v1", kNone},
      {"cosine_v2", kAccuracy, {1, 10, 0}},
      {"count_leading_zeros_v1", kNone},
      {"create_token_v1", kNone},
      {"cross-replica-sum_v1", {{"replica_groups"}}},
      {"custom_call_v1", kCustomCall},
      {"custom_call_v2", Join(kCustomCall, {{"result_tilings", kNonEmpty}}), {1, 18, 0}},
      {"divide_v1", kNone},
      {"dot_general_v1", kDotGeneral},
      {"dot_general_v2",
       Join(kDotGeneral, {{"lhs_precision_type"},
                          {"rhs_precision_type"},
                          {"accumulation_type"},
                          {"lhs_component_count"},
                          {"rhs_component_count"},
                          {"num_primitive_operations"},
                          {"allow_imprecise_accumulation"}}),
       {1, 6, 0}},
      {"dot_v1", {{"precision_config", kPrecisions}}},
      {"dynamic_broadcast_in_dim_v1",
       {{"broadcast_dimensions", kArray},
        {"known_expanding_dimensions", kArrayNonEmpty},
        {"known_nonexpanding_dimensions", kArrayNonEmpty}}},
      {"dynamic_conv_v1", Join({{"window_strides", kArrayNonOne}, {"padding", kDrop}}, kConvolution)},
      {"dynamic_conv_v2", Join({{"window_strides", kArrayNonOne}}, kConvolution), {0, 20, 0}},
      {"dynamic_gather_v1", Join(Join(kGatherOld, kGatherMap), kSorted)},
      {"dynamic_gather_v2", Join(Join(kGatherNew, kGatherMap), kSorted), {1, 1, 0}},
      {"dynamic_iota_v1", {{"iota_dimension"}}},
      {"dynamic_pad_v1", kNone},
      {"dynamic_reshape_v1", kNone},
      {"dynamic_slice_v1", {{"slice_sizes", kArray}}},
      {"dynamic_update_slice_v1", kNone},
      {"einsum_v1", {{"einsum_config"}}},
      {"exponential_minus_one_v1", kNone},
      {"exponential_minus_one_v2", kAccuracy, {1, 10, 0}},
      {"exponential_v1", kNone},
      {"exponential_v2", kAccuracy, {1, 9, 0}},
      {"fft_v1", {{"fft_type"}, {"fft_length", kArray}}},
      {"floor_v1", kNone},
      {"func_v1",
       {{"sym_name"},
        {"function_type"},
        {"sym_visibility", kNonEmpty},
        {"arg_attrs", kNonEmpty},
        {"res_attrs", kNonEmpty}}},
      {"gather_v1", Join(Join(kGatherOld, kGatherMap), kSliceSizesSorted)},
      {"gather_v2", Join(Join(kGatherNew, kGatherMap), kSliceSizesSorted), {1, 1, 0}},
      {"get_dimension_size_v1", {{"dimension"}}},
      {"get_tuple_element_v1", {{"index"}}},
      {"if_v1", kNone},
      {"imag_v1", kNone},
      {"infeed_v1", {{"infeed_config", kNonEmpty}, {"layout", kNonEmpty}}},
      {"iota_v1", {{"iota_dimension"}}},
      {"is_finite_v1", kNone},
      {"log_plus_one_v1", kNone},
      {"log_plus_one_v2", kAccuracy, {1, 10, 0}},
      {"log_v1", kNone},
      {"log_v2", kAccuracy, {1, 10, 0}},
      {"logistic_v1", kNone},
      {"logistic_v2", kAccuracy, {1, 10, 0}},
      {"map_v1", {{"dimensions", kArray}}},
      {"maximum_v1", kNone},
      {"minimum_v1", kNone},
      {"multiply_v1", kNone},
      {"negate_v1", kNone},
      {"not_v1", kNone},
      {"optimization_barrier_v1", kNone},
      {"or_v1", kNone},
      {"outfeed_v1", {{"outfeed_config", kNonEmpty}}},
      {"pad_v1", {{"edge_padding_low", kArray}, {"edge_padding_high", kArray}, {"interior_padding", kArray}}},
      {"partition_id_v1", kNone},
      {"popcnt_v1", kNone},
      {"power_v1", kNone},
      {"real_dynamic_slice_v1", kNone},
      {"real_v1", kNone},
      {"recv_v1", kTransfer},
      {"recv_v2", kTransferPairs, {1, 12, 0}},
      {"reduce_precision_v1", {{"exponent_bits"}, {"mantissa_bits"}}},
      {"reduce_scatter_v1",
       {{"scatter_dimension"}, {"replica_groups"}, {"channel_id"}, {"use_global_device_ids", kUnit}}},
      {"reduce_v1", {{"dimensions", kArray}}},
      {"reduce_window_v1",
       {{"window_dimensions", kArray},
        {"window_strides", kArrayNonOne},
        {"base_dilations", kArrayNonOne},
        {"window_dilations", kArrayNonOne},
        {"padding", kNonZero}}},
      {"remainder_v1", kNone},
      {"replica_id_v1", kNone},
      {"reshape_v1", kNone},
      {"return_v1", kNone},
      {"reverse_v1", {{"dimensions", kArray}}},
      {"rng_bit_generator_v1", {{"rng_algorithm"}}},
      {"rng_v1", {{"rng_distribution"}}},
      {"round_nearest_afz_v1", kNone},
      {"round_nearest_even_v1", kNone},
      {"rsqrt_v1", kNone},
      {"rsqrt_v2", kAccuracy, {1, 10, 0}},
      {"scatter_v1", Join(kScatterOld, kScatterMap)},
      {"scatter_v2", Join(kScatterNew, kScatterMap), {1, 1, 0}},
      {"select_and_scatter_v1",
       {{"window_dimensions", kArray}, {"window_strides", kArrayNonOne}, {"padding", kNonZero}}},
      {"select_v1", kNone},
      {"send_v1", kTransfer},
      {"send_v2", kTransferPairs, {1, 12, 0}},
      {"set_dimension_size_v1", {{"dimension"}}},
      {"shift_left_v1", kNone},
      {"shift_right_arithmetic_v1", kNone},
      {"shift_right_logical_v1", kNone},
      {"sign_v1", kNone},
      {"sine_v1", kNone},
      {"sine_v2", kAccuracy, {1, 10, 0}},
      {"slice_v1", {{"start_indices", kArray}, {"limit_indices", kArray}, {"strides", kArray}}},
      {"sort_v1", {{"dimension", kNonNegative}, {"is_stable", kNonZero}}},
      {"sqrt_v1", kNone},
      {"sqrt_v2", kAccuracy, {1, 10, 0}},
      {"subtract_v1", kNone},
      {"tan_v1", kNone, {1, 4, 0}},
      {"tan_v2", kAccuracy, {1, 10, 0}},
      {"tanh_v1", kNone},
      {"tanh_v2", kAccuracy, {1, 10, 0}},
      {"torch_index_select_v1", {{"dim"}, {"batch_dims"}}},
      {"transpose_v1", {{"permutation", kArray}}},
      {"triangular_solve_v1", {{"left_side"}, {"lower"}, {"unit_diagonal"}, {"transpose_a"}}},
      {"tuple_v1", kNone},
      {"unary_einsum_v1", {{"einsum_config"}}},
      {"uniform_dequantize_v1", kNone},
      {"uniform_quantize_v1", kNone},
      {"while_v1", kNone},
      {"xor_v1", kNone},
  };
}

}  // namespace

llvm::ArrayRef<VhloOp> VhloOps() {
  static const auto& table = *[] {
    auto* rows = new std::vector<VhloOp>(MakeTable());
    for (VhloOp& row : *rows)
      std::ranges::sort(row.properties, {}, [](const Property& p) { return llvm::StringRef(p.name); });
    return rows;
  }();
  return table;
}

const VhloOp* FindVhloOp(llvm::StringRef name) {
  static const auto& index = *[] {
    auto* map = new llvm::StringMap<const VhloOp*>();
    for (const VhloOp& op : VhloOps()) (*map)[op.name] = &op;
    return map;
  }();
  return index.lookup(name);
}

const VhloOp* FindVhloOp(llvm::StringRef stem, const VhloVersion& target) {
  const VhloOp* found = nullptr;
  for (int version = 1; version <= 2; ++version) {
    const VhloOp* op = FindVhloOp((stem + "_v" + llvm::Twine(version)).str());
    if (op && op->since <= target) found = op;
  }
  return found;
}

}  // namespace opbyop::vhlo
