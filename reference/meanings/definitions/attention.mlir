// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention by cuDNN, forward: softmax(scale Q K^T + bias + mask) V in f32. Operands are batch, sequence, head, feature;
// the result is batch, head, sequence, feature. Several query heads may share a head of K and V. Dropout, paged and packed
// sequences, padding and sliding windows are not defined here.
!in = tensor<?x?x?x?xbf16>
!x = tensor<?x?x?x?xf32>
!rows = tensor<?x?x?xf32>
!places = tensor<?x?x?x?xi32>

module {

func.func @plain(%q: !in, %k: !in, %v: !in,
    %scale: tensor<f32> {opbyop.attribute = "backend_config.cudnn_fmha_backend_config.fmha_scale"},
    %causal: tensor<i1> {opbyop.attribute = ["backend_config.cudnn_fmha_backend_config.mask_type", "CAUSAL"]})
    -> (!in, tensor<0xui8>)
  attributes {opbyop.meaning = "__cudnn$fmhaSoftmax", opbyop.types = [f16], opbyop.where = {
    "backend_config.cudnn_fmha_backend_config.mask_type" = ["NO_MASK", "CAUSAL"], "backend_config.cudnn_fmha_backend_config.dropout_rate" = [0],
    "backend_config.cudnn_fmha_backend_config.sliding_window_length" = [0], "backend_config.cudnn_fmha_backend_config.is_paged_attention" = [false],
    "backend_config.cudnn_fmha_backend_config.max_seg_per_batch" = [1]}} {
  %0 = stablehlo.convert %q : (!in) -> !x
  %1 = stablehlo.convert %k : (!in) -> !x
  %2 = stablehlo.convert %v : (!in) -> !x
  %3 = call @none() : () -> !x
  %4:2 = call @attention(%0, %1, %2, %3, %scale, %causal)
      : (!x, !x, !x, !x, tensor<f32>, tensor<i1>) -> (!x, !rows)
  %5 = stablehlo.convert %4#0 : (!x) -> !in
  %6 = stablehlo.constant dense<> : tensor<0xui8>
  return %5, %6 : !in, tensor<0xui8>
}

func.func @plain_with_sums(%q: !in, %k: !in, %v: !in,
    %scale: tensor<f32> {opbyop.attribute = "backend_config.cudnn_fmha_backend_config.fmha_scale"},
    %causal: tensor<i1> {opbyop.attribute = ["backend_config.cudnn_fmha_backend_config.mask_type", "CAUSAL"]})
    -> (!in, tensor<?x?x?xf32>, tensor<0xui8>)
  attributes {opbyop.meaning = "__cudnn$fmhaSoftmax", opbyop.types = [f16], opbyop.where = {
    "backend_config.cudnn_fmha_backend_config.mask_type" = ["NO_MASK", "CAUSAL"], "backend_config.cudnn_fmha_backend_config.dropout_rate" = [0],
    "backend_config.cudnn_fmha_backend_config.sliding_window_length" = [0], "backend_config.cudnn_fmha_backend_config.is_paged_attention" = [false],
    "backend_config.cudnn_fmha_backend_config.max_seg_per_batch" = [1]}} {
  %0 = stablehlo.convert %q : (!in) -> !x
  %1 = stablehlo.convert %k : (!in) -> !x
  %2 = stablehlo.convert %v : (!in) -> !x
  %3 = call @none() : () -> !x
  %4:2 = call @attention(%0, %1, %2, %3, %scale, %causal)
      : (!x, !x, !x, !x, tensor<f32>, tensor<i1>) -> (!x, !rows)
  %5 = stablehlo.convert %4#0 : (!x) -> !in
  %6 = stablehlo.constant dense<> : tensor<0xui8>
  return %5, %4#1, %6 : !in, !rows, tensor<0xui8>
}

func.func @biased(%q: !in, %k: !in, %v: !in, %b: !in,
    %scale: tensor<f32> {opbyop.attribute = "backend_config.cudnn_fmha_backend_config.fmha_scale"},
    %causal: tensor<i1> {opbyop.attribute = ["backend_config.cudnn_fmha_backend_config.mask_type", "CAUSAL"]})
    -> (!in, tensor<0xui8>)
  attributes {opbyop.meaning = "__cudnn$fmhaScaleBiasSoftmax", opbyop.types = [f16], opbyop.where = {
    "backend_config.cudnn_fmha_backend_config.mask_type" = ["NO_MASK", "CAUSAL"], "backend_config.cudnn_fmha_backend_config.dropout_rate" = [0],
    "backend_config.cudnn_fmha_backend_config.sliding_window_length" = [0], "backend_config.cudnn_fmha_backend_config.is_paged_attention" = [false],
    "backend_config.cudnn_fmha_backend_config.max_seg_per_batch" = [1]}} {
  %0 = stablehlo.convert %q : (!in) -> !x
  %1 = stablehlo.convert %k : (!in) -> !x
  %2 = stablehlo.convert %v : (!in) -> !x
  %3 = stablehlo.convert %b : (!in) -> !x
  %4:2 = call @attention(%0, %1, %2, %3, %scale, %causal)
      : (!x, !x, !x, !x, tensor<f32>, tensor<i1>) -> (!x, !rows)
  %5 = stablehlo.convert %4#0 : (!x) -> !in
  %6 = stablehlo.constant dense<> : tensor<0xui8>
  return %5, %6 : !in, tensor<0xui8>
}

func.func @biased_with_sums(%q: !in, %k: !in, %v: !in, %b: !in,
    %scale: tensor<f32> {opbyop.attribute = "backend_config.cudnn_fmha_backend_config.fmha_scale"},
    %causal: tensor<i1> {opbyop.attribute = ["backend_config.cudnn_fmha_backend_config.mask_type", "CAUSAL"]})
    -> (!in, tensor<?x?x?xf32>, tensor<0xui8>)
  attributes {opbyop.meaning = "__cudnn$fmhaScaleBiasSoftmax", opbyop.types = [f16], opbyop.where = {
    "backend_config.cudnn_fmha_backend_config.mask_type" = ["NO_MASK", "CAUSAL"], "backend_config.cudnn_fmha_backend_config.dropout_rate" = [0],
    "backend_config.cudnn_fmha_backend_config.sliding_window_length" = [0], "backend_config.cudnn_fmha_backend_config.is_paged_attention" = [false],
    "backend_config.cudnn_fmha_backend_config.max_seg_per_batch" = [1]}} {
  %0 = stablehlo.convert %q : (!in) -> !x
  %1 = stablehlo.convert %k : (!in) -> !x
  %2 = stablehlo.convert %v : (!in) -> !x
  %3 = stablehlo.convert %b : (!in) -> !x
  %4:2 = call @attention(%0, %1, %2, %3, %scale, %causal)
      : (!x, !x, !x, !x, tensor<f32>, tensor<i1>) -> (!x, !rows)
  %5 = stablehlo.convert %4#0 : (!x) -> !in
  %6 = stablehlo.constant dense<> : tensor<0xui8>
  return %5, %4#1, %6 : !in, !rows, tensor<0xui8>
}

func.func private @none() -> !x {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.constant dense<1> : tensor<4xi32>
  %2 = stablehlo.dynamic_broadcast_in_dim %0, %1, dims = [] : (tensor<f32>, tensor<4xi32>) -> !x
  return %2 : !x
}

func.func private @shape(%x: !x) -> tensor<4xi32> {
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (!x) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %x, dim = 1 : (!x) -> tensor<i32>
  %2 = stablehlo.get_dimension_size %x, dim = 2 : (!x) -> tensor<i32>
  %3 = stablehlo.get_dimension_size %x, dim = 3 : (!x) -> tensor<i32>
  %4 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %5 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
  %6 = stablehlo.reshape %2 : (tensor<i32>) -> tensor<1xi32>
  %7 = stablehlo.reshape %3 : (tensor<i32>) -> tensor<1xi32>
  %8 = stablehlo.concatenate %4, %5, %6, %7, dim = 0
      : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  return %8 : tensor<4xi32>
}

// The head of K or V that each head of Q reads.
func.func private @heads(%x: !x, %q: !x) -> !x {
  %heads = stablehlo.get_dimension_size %q, dim = 2 : (!x) -> tensor<i32>
  %shared = stablehlo.get_dimension_size %x, dim = 2 : (!x) -> tensor<i32>
  %ratio = stablehlo.divide %heads, %shared : tensor<i32>
  %0 = stablehlo.reshape %heads : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.dynamic_iota %0, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %2 = chlo.broadcast_divide %1, %ratio : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  %3 = "stablehlo.torch_index_select"(%x, %2) {dim = 2 : i64, batch_dims = 0 : i64} : (!x, tensor<?xi32>) -> !x
  return %3 : !x
}

// The result, and the logarithms of the sums of exponentials.
func.func private @attention(%q: !x, %k: !x, %v: !x, %bias: !x, %scale: tensor<f32>, %causal: tensor<i1>) -> (!x, !rows) {
  %keys = call @heads(%k, %q) : (!x, !x) -> !x
  %values = call @heads(%v, %q) : (!x, !x) -> !x
  %0 = stablehlo.dot_general %q, %keys, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (!x, !x) -> !x
  %1 = chlo.broadcast_multiply %0, %scale : (!x, tensor<f32>) -> !x
  %scores = chlo.broadcast_add %1, %bias : (!x, !x) -> !x
  %shape = call @shape(%scores) : (!x) -> tensor<4xi32>
  %query = stablehlo.dynamic_iota %shape, dim = 2 : (tensor<4xi32>) -> !places
  %key = stablehlo.dynamic_iota %shape, dim = 3 : (tensor<4xi32>) -> !places
  %later = stablehlo.compare GT, %key, %query : (!places, !places) -> tensor<?x?x?x?xi1>
  %masked = chlo.broadcast_and %later, %causal : (tensor<?x?x?x?xi1>, tensor<i1>) -> tensor<?x?x?x?xi1>

  %infinity = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.dynamic_broadcast_in_dim %infinity, %shape, dims = [] : (tensor<f32>, tensor<4xi32>) -> !x
  %zeros = stablehlo.dynamic_broadcast_in_dim %zero, %shape, dims = [] : (tensor<f32>, tensor<4xi32>) -> !x
  %seen = stablehlo.select %masked, %least, %scores : tensor<?x?x?x?xi1>, !x
  %greatest = stablehlo.reduce(%seen init: %infinity) applies stablehlo.maximum across dimensions = [3]
      : (!x, tensor<f32>) -> !rows
  %2 = chlo.broadcast_subtract %scores, %greatest {broadcast_dimensions = array<i64: 0, 1, 2>} : (!x, !rows) -> !x
  %3 = stablehlo.exponential %2 : !x
  %weights = stablehlo.select %masked, %zeros, %3 : tensor<?x?x?x?xi1>, !x
  %sums = stablehlo.reduce(%weights init: %zero) applies stablehlo.add across dimensions = [3]
      : (!x, tensor<f32>) -> !rows

  // A device may round the weights to the element type before it multiplies: up to 2^-8 of each, before or after the
  // division.
  %any = stablehlo.custom_call @opbyop.any() : () -> tensor<i32>
  %above = stablehlo.constant dense<1.00390625> : tensor<f32>
  %below = stablehlo.constant dense<0.99609375> : tensor<f32>
  %used = "stablehlo.case"(%any) ({
    stablehlo.return %weights : !x
  }, {
    %5 = chlo.broadcast_multiply %weights, %above : (!x, tensor<f32>) -> !x
    stablehlo.return %5 : !x
  }, {
    %5 = chlo.broadcast_multiply %weights, %below : (!x, tensor<f32>) -> !x
    stablehlo.return %5 : !x
  }) : (tensor<i32>) -> !x
  %4 = stablehlo.dot_general %used, %values, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1]
      : (!x, !x) -> !x
  %result = chlo.broadcast_divide %4, %sums {broadcast_dimensions = array<i64: 0, 1, 2>} : (!x, !rows) -> !x
  %logarithms = stablehlo.log %sums : !rows
  %statistic = stablehlo.add %logarithms, %greatest : !rows
  return %result, %statistic : !x, !rows
}
}
