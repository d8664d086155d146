// RUN: opbyop-opt %s | FileCheck %s
// RUN: opbyop-opt %s | opbyop-opt | FileCheck %s
// RUN: opbyop-opt --mlir-print-op-generic %s | opbyop-opt | FileCheck %s

// CHECK-LABEL: func @move
func.func @move(%arg0: tensor<3x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<i32>, %arg3: tensor<f32>) {
  // CHECK: stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<8xf32>) -> tensor<3x8xf32>
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<8xf32>) -> tensor<3x8xf32>
  // CHECK: stablehlo.concatenate %arg0, %0, dim = 0 : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<6x8xf32>
  %1 = stablehlo.concatenate %arg0, %0, dim = 0 : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<6x8xf32>
  // CHECK: stablehlo.dynamic_slice %arg0, %arg2, %arg2, sizes = [1, 4] : (tensor<3x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  %2 = stablehlo.dynamic_slice %arg0, %arg2, %arg2, sizes = [1, 4] : (tensor<3x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  // CHECK: stablehlo.dynamic_update_slice %arg0, %2, %arg2, %arg2 : (tensor<3x8xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x8xf32>
  %3 = stablehlo.dynamic_update_slice %arg0, %2, %arg2, %arg2 : (tensor<3x8xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x8xf32>
  // CHECK: stablehlo.pad %arg0, %arg3, low = [0, -1], high = [1, 0], interior = [0, 1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<4x14xf32>
  %4 = stablehlo.pad %arg0, %arg3, low = [0, -1], high = [1, 0], interior = [0, 1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<4x14xf32>
  // CHECK: stablehlo.slice %arg0 [1:3, 4:8:2] : (tensor<3x8xf32>) -> tensor<2x2xf32>
  %5 = stablehlo.slice %arg0 [1:3:1, 4:8:2] : (tensor<3x8xf32>) -> tensor<2x2xf32>
  // CHECK: stablehlo.slice %arg3 [] : (tensor<f32>) -> tensor<f32>
  %6 = stablehlo.slice %arg3 [] : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
  %7 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
  // CHECK: stablehlo.reverse %arg0, dims = [0] : tensor<3x8xf32>
  %8 = stablehlo.reverse %arg0, dims = [0] : tensor<3x8xf32>
  return
}

// CHECK-LABEL: func @gather
func.func @gather(%arg0: tensor<3x4x2xi32>, %arg1: tensor<2x3x2xi64>) -> tensor<2x3x2x2xi32> {
  // Keys come in any order; what is empty or 0 is not written.
  // CHECK: #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>
  %0 = "stablehlo.gather"(%arg0, %arg1) {
    dimension_numbers = #stablehlo.gather<
      index_vector_dim = 2, offset_dims = [2, 3], collapsed_slice_dims = [0],
      operand_batching_dims = [], start_index_map = [1, 0]>,
    slice_sizes = array<i64: 1, 2, 2>
  } : (tensor<3x4x2xi32>, tensor<2x3x2xi64>) -> tensor<2x3x2x2xi32>
  return %0 : tensor<2x3x2x2xi32>
}

// CHECK-LABEL: func @sort
func.func @sort(%arg0: tensor<16xf32>) -> tensor<16xf32> {
  // CHECK: "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}>
  %0 = "stablehlo.sort"(%arg0) ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.compare GT, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
