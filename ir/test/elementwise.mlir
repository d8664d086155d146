// RUN: opbyop-opt %s | FileCheck %s
// RUN: opbyop-opt %s | opbyop-opt | FileCheck %s
// RUN: opbyop-opt --mlir-print-op-generic %s | opbyop-opt | FileCheck %s

// CHECK-LABEL: func @unary
func.func @unary(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>, %arg2: tensor<2xcomplex<f32>>) {
  // CHECK: stablehlo.abs %arg0 : tensor<2xf32>
  %0 = stablehlo.abs %arg0 : tensor<2xf32>
  // CHECK: stablehlo.abs %arg2 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %1 = "stablehlo.abs"(%arg2) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // CHECK: stablehlo.convert %arg1 : (tensor<2xi32>) -> tensor<2xf32>
  %2 = stablehlo.convert %arg1 : (tensor<2xi32>) -> tensor<2xf32>
  // CHECK: stablehlo.reduce_precision %arg0, format = e5m10 {key = 1 : i32} : tensor<2xf32>
  %3 = stablehlo.reduce_precision %arg0, format = e5m10 {key = 1 : i32} : tensor<2xf32>
  // CHECK: stablehlo.tanh %arg0 {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  %4 = stablehlo.tanh %arg0 {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  // CHECK: stablehlo.is_finite %arg0 : (tensor<2xf32>) -> tensor<2xi1>
  %5 = stablehlo.is_finite %arg0 : (tensor<2xf32>) -> tensor<2xi1>
  // CHECK: stablehlo.bitcast_convert %arg0 : (tensor<2xf32>) -> tensor<2x4xi8>
  %6 = stablehlo.bitcast_convert %arg0 : (tensor<2xf32>) -> tensor<2x4xi8>
  return
}

// CHECK-LABEL: func @binary
func.func @binary(%arg0: tensor<2xf32>, %arg1: tensor<2xi1>, %arg2: tensor<f32>, %arg3: tensor<2xi32>) {
  // CHECK: stablehlo.add %arg0, %arg0 : tensor<2xf32>
  %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
  // CHECK: stablehlo.complex %arg0, %arg0 : tensor<2xcomplex<f32>>
  %1 = stablehlo.complex %arg0, %arg0 : tensor<2xcomplex<f32>>
  // CHECK: stablehlo.compare LT, %arg0, %arg0, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %2 = stablehlo.compare LT, %arg0, %arg0, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // The elements say how they are compared.
  // CHECK: stablehlo.compare LT, %arg3, %arg3, UNSIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %7 = stablehlo.compare LT, %arg3, %arg3, UNSIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  // CHECK: stablehlo.select %arg1, %arg0, %arg0 : tensor<2xi1>, tensor<2xf32>
  %3 = stablehlo.select %arg1, %arg0, %arg0 : tensor<2xi1>, tensor<2xf32>
  // CHECK: stablehlo.clamp %arg2, %arg0, %arg2 : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %4 = stablehlo.clamp %arg2, %arg0, %arg2 : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
