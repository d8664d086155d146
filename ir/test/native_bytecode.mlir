// Reads bytecode of this text that Python bindings of 2026 wrote, and bytecode that is written here in every version.
// Both must read like the text. StableHLO and CHLO have their own encodings. Several ops share a row of properties with
// others and had fewer properties when the file was written (ir/bytecode/bytecode_rows.h). The file is made by
// `python3 -m validation.oracle.write_bytecode ir/test`.
// RUN: opbyop-opt %s -o %t.text
// RUN: opbyop-opt %S/Inputs/native_bytecode.mlirbc | diff - %t.text
// RUN: opbyop-opt --emit-bytecode %s | opbyop-opt | diff - %t.text
// RUN: opbyop-opt --emit-bytecode --emit-bytecode-version=0 %s | opbyop-opt | diff - %t.text
// RUN: opbyop-opt --emit-bytecode --emit-bytecode-version=1 %s | opbyop-opt | diff - %t.text
// RUN: opbyop-opt --emit-bytecode --emit-bytecode-version=2 %s | opbyop-opt | diff - %t.text
// RUN: opbyop-opt --emit-bytecode --emit-bytecode-version=3 %s | opbyop-opt | diff - %t.text
// RUN: opbyop-opt --emit-bytecode --emit-bytecode-version=4 %s | opbyop-opt | diff - %t.text
// RUN: opbyop-opt --emit-bytecode --emit-bytecode-version=5 %s | opbyop-opt | diff - %t.text

func.func @main(%a: tensor<4x16xf32>, %b: tensor<3x3x3x8xf32>, %c: tensor<1x8x8x3xf32>, %i: tensor<2x1xi32>,
                %s: tensor<2xui32>, %k: tensor<2xui64>) -> tensor<4x2xf32> {
  %iota = stablehlo.iota dim = 1 : tensor<4x16xi32>
  %top:2 = chlo.top_k(%a, k = 2) : tensor<4x16xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  %call = stablehlo.custom_call @f(%a) {api_version = 2 : i32, backend_config = "x", called_computations = [@g],
      has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>],
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0,
      operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}
      : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %broadcast = "stablehlo.collective_broadcast"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %plain = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
      : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %gather = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false,
      slice_sizes = array<i64: 1, 16>}> : (tensor<4x16xf32>, tensor<2x1xi32>) -> tensor<2x16xf32>
  %conv = stablehlo.convolution(%c, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {stride = [1, 1], pad = [[1, 1], [0, 0]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>,
      #stablehlo<precision HIGHEST>]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x8xf32>) -> tensor<1x8x6x8xf32>
  %dot = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT],
      algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32,
      lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3,
      allow_imprecise_accumulation = false> : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x4xf32>
  %exp = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2,
      mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x16xf32>
  %cbrt = stablehlo.cbrt %a : tensor<4x16xf32>
  %less = stablehlo.compare LT, %a, %a, TOTALORDER : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xi1>
  %wide = chlo.broadcast_compare %a, %a {comparison_direction = #chlo<comparison_direction GE>,
      compare_type = #chlo<comparison_type FLOAT>} : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xi1>
  %state, %random = stablehlo.rng_bit_generator %k, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %small = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf8E4M3FN>
  %smaller = stablehlo.convert %small : (tensor<2xf8E4M3FN>) -> tensor<2xf8E5M2>
  %token = stablehlo.create_token : !stablehlo.token
  %sent = "stablehlo.send"(%a, %token) <{channel_handle = #stablehlo.channel_handle<handle = 70, type = 2>,
      is_host_transfer = true}> : (tensor<4x16xf32>, !stablehlo.token) -> !stablehlo.token
  return %top#0 : tensor<4x2xf32>
}

func.func private @g(%x: tensor<?xf32, #stablehlo.bounds<10>>) -> tensor<?xf32, #stablehlo.bounds<10>> attributes {
  x.precision = #chlo<precision HIGH>, x.transpose = #stablehlo<transpose ADJOINT>,
  x.axis = #stablehlo.axis_ref<name = "b", sub_axis_info = (1)2>, x.fft = #stablehlo<fft_type RFFT>,
  x.mesh = #stablehlo.mesh<axes=[<name = "a", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>,
  x.distribution = #stablehlo<rng_distribution NORMAL>
} {
  return %x : tensor<?xf32, #stablehlo.bounds<10>>
}
