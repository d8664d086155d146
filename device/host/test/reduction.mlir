// RUN: opbyop-opt %s --split-input-file --opbyop-stablehlo-to-linalg | FileCheck %s

// CHECK-LABEL: func @main
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) -> tensor<2xf32> {
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
  // CHECK: arith.addf
  %0 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Sums of narrow floats are kept in f32.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<2x3xbf16>, %b: tensor<bf16>) -> tensor<2xbf16> {
  // CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<2xf32>)
  // CHECK: arith.addf {{.*}} : f32
  // CHECK: arith.truncf {{.*}} : f32 to bf16
  %0 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}

// -----

// The window's loops come before the feature loop, which is contiguous.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<1x4x4x8xf32>, %b: tensor<f32>) -> tensor<1x2x2x8xf32> {
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "parallel"]
  // CHECK: arith.maximumf
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<1x4x4x8xf32>, tensor<f32>) -> tensor<1x2x2x8xf32>
  return %0 : tensor<1x2x2x8xf32>
}

// -----

// A region that computes in a wider type gets converted elements, without a tensor of that type.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<f64> {
  // CHECK: arith.extf %{{.*}} : f32 to f64
  // CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<f64>)
  // CHECK: arith.extf %{{.*}} : f32 to f64
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f64
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %1 = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f64>
  return %0 : tensor<f64>
}
