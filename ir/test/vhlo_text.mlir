// VHLO as text, as compilers dump it: functions in their own form, all else in generic form.
// RUN: opbyop-opt %s | FileCheck %s
// RUN: opbyop-opt %s --emit-bytecode -o %t.mlirbc && opbyop-opt %t.mlirbc | FileCheck %s
// RUN: opbyop split %s -q -o %t && cat %t/manifest.yaml | FileCheck %s --check-prefix=SPLIT

#loc1 = loc("p0.1")
// CHECK: module @SyncTensorsGraph.12
module @SyncTensorsGraph.12 attributes {mhlo.is_dynamic = false} {
  // CHECK: func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xi64> {mhlo.sharding = "{replicated}"})
  // CHECK-SAME: -> (tensor<8xi64>, tensor<f32>, tensor<4xi1>)
  vhlo.func_v1 @main(%0: !vhlo.tensor_v1<8x!vhlo.f32_v1>, %arg1: !vhlo.tensor_v1<8x!vhlo.i64_v1> loc("p0.1")) -> (!vhlo.tensor_v1<8x!vhlo.i64_v1>, !vhlo.tensor_v1<!vhlo.f32_v1>, !vhlo.tensor_v1<4x!vhlo.bool_v1>) {
    // CHECK: stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<0.0> : tensor<f32>>}> : () -> !vhlo.tensor_v1<!vhlo.f32_v1> loc(#loc)
    // CHECK: stablehlo.reduce
    // CHECK-SAME: applies stablehlo.add across dimensions = [0]
    %2 = "vhlo.reduce_v1"(%0, %1) <{dimensions = #vhlo.tensor_v1<dense<0> : tensor<1xi64>>}> ({
    ^bb0(%a: !vhlo.tensor_v1<!vhlo.f32_v1> loc("reduce.10"), %b: !vhlo.tensor_v1<!vhlo.f32_v1> loc("reduce.10")):
      %s = "vhlo.add_v1"(%a, %b) : (!vhlo.tensor_v1<!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.f32_v1>) -> !vhlo.tensor_v1<!vhlo.f32_v1>
      "vhlo.return_v1"(%s) : (!vhlo.tensor_v1<!vhlo.f32_v1>) -> ()
    }) : (!vhlo.tensor_v1<8x!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.f32_v1>) -> !vhlo.tensor_v1<!vhlo.f32_v1>
    // CHECK: stablehlo.custom_call @tt.mark_argument(%arg1)
    // CHECK-SAME: mhlo.frontend_attributes = {ttcore.argument_type = "input"}
    %3 = "vhlo.custom_call_v1"(%arg1) <{api_version = #vhlo<api_version_v1 API_VERSION_UNSPECIFIED>, backend_config = #vhlo.string_v1<"">, call_target_name = #vhlo.string_v1<"tt.mark_argument">, called_computations = #vhlo.array_v1<[]>, has_side_effect = #vhlo.bool_v1<false>, operand_layouts = #vhlo.array_v1<[]>, output_operand_aliases = #vhlo.array_v1<[]>, result_layouts = #vhlo.array_v1<[]>}> {mhlo.frontend_attributes = #vhlo.dict_v1<{#vhlo.string_v1<"ttcore.argument_type"> = #vhlo.string_v1<"input">}>} : (!vhlo.tensor_v1<8x!vhlo.i64_v1>) -> !vhlo.tensor_v1<8x!vhlo.i64_v1>
    // CHECK: stablehlo.iota dim = 0 : tensor<4xi32>
    %4 = "vhlo.iota_v1"() <{iota_dimension = #vhlo.integer_v1<0 : i64>}> : () -> !vhlo.tensor_v1<4x!vhlo.i32_v1>
    // CHECK: stablehlo.compare GT, {{.*}}, SIGNED
    %5 = "vhlo.compare_v1"(%4, %4) <{compare_type = #vhlo<comparison_type_v1 SIGNED>, comparison_direction = #vhlo<comparison_direction_v1 GT>}> : (!vhlo.tensor_v1<4x!vhlo.i32_v1>, !vhlo.tensor_v1<4x!vhlo.i32_v1>) -> !vhlo.tensor_v1<4x!vhlo.bool_v1>
    // CHECK: stablehlo.exponential {{.*}}result_accuracy = #stablehlo.result_accuracy<{{.*}}mode = #stablehlo.result_accuracy_mode<TOLERANCE>>
    %6 = "vhlo.exponential_v2"(%2) <{result_accuracy = #vhlo.result_accuracy_v1<atol = 1.000000e-05, rtol = 0.000000e+00, ulps = 1, mode = #vhlo<result_accuracy_mode_v1 TOLERANCE>>}> : (!vhlo.tensor_v1<!vhlo.f32_v1>) -> !vhlo.tensor_v1<!vhlo.f32_v1>
    "vhlo.return_v1"(%3, %6, %5) : (!vhlo.tensor_v1<8x!vhlo.i64_v1>, !vhlo.tensor_v1<!vhlo.f32_v1>, !vhlo.tensor_v1<4x!vhlo.bool_v1>) -> () loc(#loc)
  } {arg_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{}>, #vhlo.dict_v1<{#vhlo.string_v1<"mhlo.sharding"> = #vhlo.string_v1<"{replicated}">}>]>, res_attrs = #vhlo.array_v1<[]>, sym_visibility = #vhlo.string_v1<"">} loc(#loc)

  // CHECK: func.func private @generic(%arg0: tensor<?x4xf8E4M3FN, #stablehlo.bounds<16, ?>>, %arg1: tuple<complex<f32>, !stablehlo.token>)
  "vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[]>, function_type = #vhlo.type_v1<!vhlo.func_v1<(!vhlo.tensor_v1<?x4x!vhlo.f8E4M3FN_v1, #vhlo.type_extensions_v1<bounds = [16, ?]>>, !vhlo.tuple_v1<!vhlo.complex_v1<!vhlo.f32_v1>, !vhlo.token_v1>) -> !vhlo.tensor_v1<?x4x!vhlo.f8E4M3FN_v1, #vhlo.type_extensions_v1<bounds = [16, ?]>>>>, res_attrs = #vhlo.array_v1<[]>, sym_name = #vhlo.string_v1<"generic">, sym_visibility = #vhlo.string_v1<"private">}> ({
  ^bb0(%x: !vhlo.tensor_v1<?x4x!vhlo.f8E4M3FN_v1, #vhlo.type_extensions_v1<bounds = [16, ?]>>, %y: !vhlo.tuple_v1<!vhlo.complex_v1<!vhlo.f32_v1>, !vhlo.token_v1>):
    "vhlo.return_v1"(%x) : (!vhlo.tensor_v1<?x4x!vhlo.f8E4M3FN_v1, #vhlo.type_extensions_v1<bounds = [16, ?]>>) -> ()
  }) : () -> ()
} loc(#loc)
#loc = loc(unknown)

// SPLIT-DAG: "op":"stablehlo.reduce"
// SPLIT-DAG: "target":"tt.mark_argument"
