// RUN: opbyop-opt %s --split-input-file --opbyop-stablehlo-to-linalg | FileCheck %s

// CHECK-DAG:   #[[LEFT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG:   #[[RIGHT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG:   #[[RESULT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-LABEL: func @main
func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[LEFT]], #[[RIGHT]], #[[RESULT]]], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
  // CHECK: arith.mulf
  // CHECK: arith.addf
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// -----

// A right operand whose rows run along the contracted dimension is transposed.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<3x4xf32>, %b: tensor<5x4xf32>) -> tensor<3x5xf32> {
  // CHECK: linalg.transpose ins(%{{.*}} : tensor<5x4xf32>)
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// The contiguous one of several contracted dimensions is the innermost loop of the sum.
// CHECK-DAG:   #[[LEFT:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>
// CHECK-DAG:   #[[RIGHT:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
// CHECK-LABEL: func @main
func.func @main(%a: tensor<8x3x4xf32>, %b: tensor<8x4x5xf32>) -> tensor<3x5xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[LEFT]], #[[RIGHT]], #{{.*}}], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [2, 0] x [1, 0] : (tensor<8x3x4xf32>, tensor<8x4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// Operands are extended by their own signedness.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<3x4xi8>, %b: tensor<4x5xui8>) -> tensor<3x5xi32> {
  // CHECK: arith.extsi
  // CHECK: arith.extui
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4xi8>, tensor<4x5xui8>) -> tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}

// -----

// Depthwise: the feature groups are a separate loop, innermost except for the single output feature of each group.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<1x8x8x6xf32>, %k: tensor<3x3x1x6xf32>) -> tensor<1x8x8x6xf32> {
  // CHECK: tensor.expand_shape %{{.*}} into tensor<1x10x10x6x1xf32>
  // CHECK: tensor.expand_shape %{{.*}} into tensor<3x3x1x6x1xf32>
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "parallel", "parallel"]
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 6 : i64} : (tensor<1x8x8x6xf32>, tensor<3x3x1x6xf32>) -> tensor<1x8x8x6xf32>
  return %0 : tensor<1x8x8x6xf32>
}
