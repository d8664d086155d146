// RUN: opbyop-opt %s --split-input-file --opbyop-stablehlo-to-linalg | FileCheck %s

// CHECK-LABEL: func @main
func.func @main(%x: tensor<2x4x3xf32>, %v: tensor<3xf32>) -> tensor<2x4x3xf32> {
  // CHECK: math.sqrt
  // CHECK: arith.divf
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) <{epsilon = 1.0e-5 : f32, feature_index = 2 : i64}> : (tensor<2x4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%x: tensor<2x4x3xf32>, %v: tensor<3xf32>) -> (tensor<2x4x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  // CHECK-COUNT-2: iterator_types = ["reduction", "reduction", "parallel"]
  %0:3 = "stablehlo.batch_norm_training"(%x, %v, %v) <{epsilon = 1.0e-5 : f32, feature_index = 2 : i64}> : (tensor<2x4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x4x3xf32>, tensor<3xf32>, tensor<3xf32>
}
