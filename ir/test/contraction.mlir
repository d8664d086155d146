// RUN: opbyop-opt %s | FileCheck %s
// RUN: opbyop-opt %s | opbyop-opt | FileCheck %s
// RUN: opbyop-opt --mlir-print-op-generic %s | opbyop-opt | FileCheck %s

// CHECK-LABEL: func @dot_general
func.func @dot_general(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x4x5xf32>) {
  // CHECK: stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  // CHECK: algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false>
  %1 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// CHECK-LABEL: func @convolution
func.func @convolution(%arg0: tensor<1x8x8x6xf32>, %arg1: tensor<3x3x3x16xf32>) -> tensor<1x4x4x16xf32> {
  // CHECK:      stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window =
  // CHECK-SAME: {stride = [2, 2], pad = {{\[\[}}0, 1], [0, 1]], reverse = [false, true]}
  // CHECK-SAME: {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x8x8x6xf32>, tensor<3x3x3x16xf32>) -> tensor<1x4x4x16xf32>
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f] x [0, 1, i, o] -> [b, 0, 1, f],
    window = {reverse = [0, 1], pad = [[0, 1], [0, 1]], stride = [2, 2],}
    {feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x6xf32>, tensor<3x3x3x16xf32>) -> tensor<1x4x4x16xf32>
  return %0 : tensor<1x4x4x16xf32>
}

// CHECK-LABEL: func @reduce
func.func @reduce(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>, %arg2: tensor<4x8xi32>, %arg3: tensor<i32>) {
  // CHECK: stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  // The arguments of the text are in pairs, those of the block are not.
  // CHECK:      stablehlo.reduce(%arg0 init: %arg1), (%arg2 init: %arg3) across dimensions = [1] :
  // CHECK-NEXT: reducer(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>) (%[[C:.*]]: tensor<i32>, %[[D:.*]]: tensor<i32>) {
  // CHECK-NEXT:   stablehlo.add %[[A]], %[[B]] : tensor<f32>
  // CHECK-NEXT:   stablehlo.add %[[C]], %[[D]] : tensor<i32>
  %1:2 = "stablehlo.reduce"(%arg0, %arg2, %arg1, %arg3) ({
  ^bb0(%a: tensor<f32>, %c: tensor<i32>, %b: tensor<f32>, %d: tensor<i32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    %3 = stablehlo.add %c, %d : tensor<i32>
    stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
  }) {dimensions = array<i64: 1>} : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
  // No compact form where operands are exchanged.
  // CHECK: across dimensions = [1] :
  // CHECK-NEXT: reducer
  %4 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %5 = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }
  return
}
