// RUN: opbyop-opt %s --split-input-file --opbyop-stablehlo-to-linalg | FileCheck %s

// CHECK-DAG:   #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-LABEL: func @main
func.func @main(%a: tensor<2x1xf32>) -> tensor<2x3xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[COLUMN]],
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  // CHECK: linalg.transpose {{.*}} permutation = [1, 0]
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<2x6xf32>) -> tensor<3x4xf32> {
  // CHECK: tensor.collapse_shape {{.*}} into tensor<12xf32>
  // CHECK: tensor.expand_shape {{.*}} into tensor<3x4xf32>
  %0 = stablehlo.reshape %a : (tensor<2x6xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<8xf32>) -> tensor<3xf32> {
  // CHECK: tensor.extract_slice %{{.*}}[1] [3] [2]
  %0 = stablehlo.slice %a [1:7:2] : (tensor<8xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Negative padding crops first.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<3xf32>, %p: tensor<f32>) -> tensor<6xf32> {
  // CHECK: linalg.fill
  // CHECK: tensor.extract_slice %{{.*}}[1] [2] [1]
  // CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[1] [2] [2]
  %0 = stablehlo.pad %a, %p, low = [-1], high = [2], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// CHECK-DAG:   #[[BACK:.*]] = affine_map<(d0) -> (-d0 + 2)>
// CHECK-LABEL: func @main
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[BACK]],
  %0 = stablehlo.reverse %a, dims = [0] : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<5xf32> {
  // CHECK: tensor.insert_slice %{{.*}}[0] [2] [1]
  // CHECK: tensor.insert_slice %{{.*}}[2] [3] [1]
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<2xi32>) -> tensor<2x4xi8> {
  // CHECK: arith.shrui
  // CHECK: arith.trunci {{.*}} : i32 to i8
  %0 = stablehlo.bitcast_convert %a : (tensor<2xi32>) -> tensor<2x4xi8>
  return %0 : tensor<2x4xi8>
}
