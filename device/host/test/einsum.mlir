// RUN: opbyop-opt %s --split-input-file --opbyop-stablehlo-to-linalg | FileCheck %s

// Each letter is a loop; the letters of the result come first.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[RESULT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @main
func.func @main(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[RESULT]]]
  // CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]
  %0 = stablehlo.einsum %a, %b, config = "ij,jk->ik" : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// A repeated letter selects the diagonal.
// CHECK-DAG: affine_map<(d0) -> (d0, d0)>
// CHECK-LABEL: func @main
func.func @main(%a: tensor<4x4xf32>) -> tensor<f32> {
  // CHECK: iterator_types = ["reduction"]
  %0 = stablehlo.unary_einsum %a, config = "ii->" : (tensor<4x4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<2x5x3xf32>, %i: tensor<2x4xi32>) -> tensor<2x4x3xf32> {
  // CHECK: tensor.extract %{{.*}} : tensor<2x4xi32>
  // CHECK: arith.minsi
  // CHECK: tensor.extract %{{.*}} : tensor<2x5x3xf32>
  %0 = "stablehlo.torch_index_select"(%a, %i) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<2x5x3xf32>, tensor<2x4xi32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}
