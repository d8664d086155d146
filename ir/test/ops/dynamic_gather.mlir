// stablehlo.dynamic_gather: gather of slices with sizes computed at run time.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi64>, %arg2: tensor<2xi64>) {
  // CHECK: "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true}> : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<2x?xf32>
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true}> : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<2x?xf32>
  return
}

//--- refused.mlir
// (C11) There is one slice size per dimension.
func.func @refused(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi64>, %arg2: tensor<3xi64>) {
  // expected-error @+2 {{expects 2 elements in slice_sizes, but got 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<3xi64>) -> tensor<2x?xf32>
  return
}

// -----

// (C3) An index vector has one entry per dimension of start_index_map.
func.func @refused(%arg0: tensor<3x4xf32>, %arg1: tensor<2x2xi64>, %arg2: tensor<2xi64>) {
  // expected-error @+2 {{expects 2 elements in start_index_map, the size of the index vector, but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<3x4xf32>, tensor<2x2xi64>, tensor<2xi64>) -> tensor<2x?xf32>
  return
}

//--- meaning.mlir
// The first two elements of rows by index; out-of-bounds indices are clamped.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[[1], [-3], [9]]> : tensor<3x1xi64>
  %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %d = "stablehlo.dynamic_gather"(%x, %i, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<2x3xi32>, tensor<3x1xi64>, tensor<2xi64>) -> tensor<3x?xi32>
  %r = stablehlo.reshape %d : (tensor<3x?xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[4, 5], [1, 2], [4, 5]]> : tensor<3x2xi32>
  return
}
