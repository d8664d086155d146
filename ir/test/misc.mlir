// RUN: opbyop-opt %s | FileCheck %s
// RUN: opbyop-opt %s | opbyop-opt | FileCheck %s
// RUN: opbyop-opt --mlir-print-op-generic %s | opbyop-opt | FileCheck %s

// CHECK-LABEL: func @constants
func.func @constants() {
  // CHECK: %c = stablehlo.constant dense<1> : tensor<2xi32>
  %0 = stablehlo.constant dense<1> : tensor<2xi32>
  // CHECK: %cst = stablehlo.constant {key = 1 : i32} dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>
  %1 = stablehlo.constant {key = 1 : i32} dense<(1.0, 2.0)> : tensor<complex<f32>>
  // The type of the stored elements differs from the type of the constant.
  // CHECK: %cst_0 = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> {key = 1 : i32} : () -> tensor<2x!quant.uniform<i8:f32, 2.000000e+00:15>>
  %2 = stablehlo.constant() {value = dense<[1, 2]> : tensor<2xi8>, key = 1 : i32} : () -> tensor<2x!quant.uniform<i8:f32, 2.0:15>>
  // CHECK: %cst_1 = stablehlo.constant dense_resource<blob> : tensor<2xf32>
  %3 = stablehlo.constant dense_resource<blob> : tensor<2xf32>
  // CHECK: stablehlo.iota dim = 1 : tensor<2x3xi64>
  %4 = stablehlo.iota dim = 1 : tensor<2x3xi64>
  return
}

// CHECK-LABEL: func @bounds
// CHECK-SAME: tensor<3x?xf32, #stablehlo.bounds<?, 5>>
func.func @bounds(%arg0: tensor<3x?xf32, #stablehlo.type_extensions<bounds = [?, 5]>>) {
  return
}

// CHECK-LABEL: func @calls
func.func @calls(%arg0: tensor<2xf32>) {
  // CHECK: stablehlo.custom_call @foo.bar$1(%arg0) {backend_config = "\00a"} : (tensor<2xf32>) -> tensor<2xf32>
  %0 = stablehlo.custom_call @foo.bar$1(%arg0) {backend_config = "\00a", has_side_effect = false} : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: stablehlo.custom_call @"a b"() {api_version = 4 : i32, backend_config = {n = 1 : i64}} : () -> ()
  stablehlo.custom_call @"a b"() {api_version = 4 : i32, backend_config = {n = 1 : i64}} : () -> ()
  // CHECK: stablehlo.tuple %arg0, %arg0 : tuple<tensor<2xf32>, tensor<2xf32>>
  %1 = stablehlo.tuple %arg0, %arg0 : tuple<tensor<2xf32>, tensor<2xf32>>
  // CHECK: stablehlo.get_tuple_element %{{.*}}[1] : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>
  %2 = stablehlo.get_tuple_element %1[1] : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func @random
func.func @random(%arg0: tensor<2xui64>) {
  // CHECK: %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %0:2 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return
}

// CHECK-LABEL: func @chlo
func.func @chlo(%arg0: tensor<16xf32>) {
  // CHECK: chlo.erf %arg0 : tensor<16xf32> -> tensor<16xf32>
  %0 = chlo.erf %arg0 : tensor<16xf32> -> tensor<16xf32>
  // CHECK: chlo.top_k(%arg0, k = 4) : tensor<16xf32> -> (tensor<4xf32>, tensor<4xi32>)
  %1:2 = chlo.top_k(%arg0, k = 4) : tensor<16xf32> -> (tensor<4xf32>, tensor<4xi32>)
  // CHECK: check.expect_almost_eq_const %arg0, dense<0.000000e+00> : tensor<16xf32>, tolerance = 1.000000e-01
  check.expect_almost_eq_const %arg0, dense<0.0> : tensor<16xf32>, tolerance = 0.1
  return
}
