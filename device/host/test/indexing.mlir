// RUN: opbyop-opt %s --split-input-file --opbyop-stablehlo-to-linalg | FileCheck %s

// Start indices are clamped, so that every read is inside.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<9xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  // CHECK: arith.maxsi
  // CHECK: arith.minsi
  // CHECK: tensor.extract_slice %{{.*}}[%{{.*}}] [4] [1]
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [4] : (tensor<9xf32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<3x2xf32>, %i: tensor<2xi32>) -> tensor<2x2xf32> {
  // CHECK: linalg.generic
  // CHECK: tensor.extract %{{.*}} : tensor<2xi32>
  // CHECK: tensor.extract %{{.*}} : tensor<3x2xf32>
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<3xi32>, %i: tensor<4x1xi32>, %u: tensor<4xi32>) -> tensor<3xi32> {
  // CHECK: scf.for
  // CHECK: arith.cmpi ult
  // CHECK: tensor.insert
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %y : tensor<i32>
  }) : (tensor<3xi32>, tensor<4x1xi32>, tensor<4xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%k: tensor<5xf32>) -> tensor<5xf32> {
  // CHECK-COUNT-3: arith.cmpf olt
  // CHECK-NOT: arith.cmpf
  %0 = "stablehlo.sort"(%k) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
