// RUN: opbyop-opt %s --split-input-file --verify-diagnostics --opbyop-lower-quantization | FileCheck %s

// CHECK-LABEL: func @main
// CHECK-SAME:  (%[[A:.*]]: tensor<4xi8>, %[[B:.*]]: tensor<4xi8>) -> tensor<4xi8>
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25>> {
  // CHECK: stablehlo.convert %[[A]] : (tensor<4xi8>) -> tensor<4xi32>
  // CHECK: stablehlo.subtract
  // CHECK: stablehlo.multiply
  // CHECK: %[[SUM:.*]] = stablehlo.add %{{.*}}, %{{.*}} : tensor<4xf32>
  // CHECK: stablehlo.divide %[[SUM]]
  // CHECK: stablehlo.round_nearest_even
  // CHECK: %[[STORED:.*]] = stablehlo.convert %{{.*}} : (tensor<4xi32>) -> tensor<4xi8>
  // CHECK: return %[[STORED]]
  %0 = stablehlo.add %a, %b : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.25>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.25>>
}

// -----

// Stored integers are moved unchanged.
// CHECK-LABEL: func @main
// CHECK-SAME:  (%[[A:.*]]: tensor<2x3xui8>) -> tensor<3x2xui8>
// CHECK-NEXT:  %[[T:.*]] = stablehlo.transpose %[[A]]
// CHECK-NEXT:  return %[[T]]
func.func @main(%a: tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<3x2x!quant.uniform<u8:f32, 0.5:128>> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<3x2x!quant.uniform<u8:f32, 0.5:128>>
  return %0 : tensor<3x2x!quant.uniform<u8:f32, 0.5:128>>
}

// -----

// One scale per slice of the axis.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>) -> tensor<2x3xf32> {
  // CHECK-DAG: stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  // CHECK-DAG: stablehlo.constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
  // CHECK:     stablehlo.broadcast_in_dim %{{.*}}, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Ops whose lowering is written for wider floats are computed in f32.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<2x3xf8E5M2>, %b: tensor<3xf8E5M2>) -> tensor<2x3xf8E5M2> {
  // CHECK: stablehlo.convert %{{.*}} : (tensor<2x3xf8E5M2>) -> tensor<2x3xf32>
  // CHECK: "stablehlo.batch_norm_inference"{{.*}} -> tensor<2x3xf32>
  // CHECK: stablehlo.convert %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf8E5M2>
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %b, %b, %b) <{epsilon = 0.01 : f32, feature_index = 1 : i64}> : (tensor<2x3xf8E5M2>, tensor<3xf8E5M2>, tensor<3xf8E5M2>, tensor<3xf8E5M2>, tensor<3xf8E5M2>) -> tensor<2x3xf8E5M2>
  return %0 : tensor<2x3xf8E5M2>
}

// -----

// A region that computes in a wider quantized type takes converted operands.
// CHECK-LABEL: func @main
// CHECK-SAME:  (%[[A:.*]]: tensor<4xi8>, %[[B:.*]]: tensor<i8>)
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<!quant.uniform<i32:f32, 0.25>> {
  // CHECK: stablehlo.convert %[[A]] : (tensor<4xi8>) -> tensor<4xi32>
  // CHECK: %[[WIDE:.*]] = stablehlo.convert %{{.*}} : (tensor<4xi64>) -> tensor<4xi32>
  // CHECK: stablehlo.reduce(%[[WIDE]] init: %{{.*}}) {{.*}} : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<!quant.uniform<i32:f32, 0.25>>, %y: tensor<!quant.uniform<i32:f32, 0.25>>):
    %1 = stablehlo.maximum %x, %y : tensor<!quant.uniform<i32:f32, 0.25>>
    stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 0.25>>
  }) : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<!quant.uniform<i32:f32, 0.25>>
  return %0 : tensor<!quant.uniform<i32:f32, 0.25>>
}

// -----

// Types that are not quantized are left to the lowering of reductions.
// CHECK-LABEL: func @main
// CHECK-NOT:   stablehlo.convert
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<f64> {
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %1 = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f64>
  return %0 : tensor<f64>
}
