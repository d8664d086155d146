// stablehlo.scatter: inputs with updates combined in at computed indices.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi64>, %arg2: tensor<2x4xf32>) {
  // CHECK: "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return
}

//--- refused.mlir
// (C2) Every dimension of inputs is a window, an inserted or a batching one.
func.func @refused(%x: tensor<3x4xi32>, %i: tensor<2x1xi64>, %u: tensor<2x4xi32>) {
  // expected-error @+2 {{expects update_window_dims, inserted_window_dims and input_batching_dims to cover the 2 input dimensions, but they have 1, 0 and 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  } : (tensor<3x4xi32>, tensor<2x1xi64>, tensor<2x4xi32>) -> tensor<3x4xi32>
  return
}

// -----

// (C4) A window is not larger than inputs.
func.func @refused(%x: tensor<3x4xi32>, %i: tensor<2x1xi64>, %u: tensor<2x5xi32>) {
  // expected-error @+2 {{expects window dimension 1 of the updates to be at most 4, the input's size, but got 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  } : (tensor<3x4xi32>, tensor<2x1xi64>, tensor<2x5xi32>) -> tensor<3x4xi32>
  return
}

// -----

// (C6) Updates hold elements of the type of inputs.
func.func @refused(%x: tensor<3x4xi32>, %i: tensor<2x1xi64>, %u: tensor<2x4xf32>) {
  // expected-error @+2 {{expects inputs and updates of the same element types, but got 'tensor<3x4xi32>' and 'tensor<2x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  } : (tensor<3x4xi32>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<3x4xi32>
  return
}

// -----

// (C23) The computation takes and returns elements of inputs.
func.func @refused(%x: tensor<3x4xi32>, %i: tensor<2x1xi64>, %u: tensor<2x4xi32>) {
  // expected-error @+2 {{has a region whose result 0 of type 'tensor<f32>' cannot hold the initial value of type 'tensor<i32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  } : (tensor<3x4xi32>, tensor<2x1xi64>, tensor<2x4xi32>) -> tensor<3x4xi32>
  return
}

//--- meaning.mlir
// Rows are added; a row that is indexed twice is updated twice.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %i = stablehlo.constant dense<[[0], [2], [0]]> : tensor<3x1xi64>
  %u = stablehlo.constant dense<[[10, 20], [30, 40], [100, 200]]> : tensor<3x2xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  } : (tensor<3x2xi32>, tensor<3x1xi64>, tensor<3x2xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[111, 222], [3, 4], [35, 46]]> : tensor<3x2xi32>
  return
}

// -----

// Out-of-bounds indices are skipped, not clamped: -1 and 3 are outside [0, 3).
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %i = stablehlo.constant dense<[[-1], [1], [3]]> : tensor<3x1xi32>
  %u = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  } : (tensor<3xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[1, 22, 3]> : tensor<3xi32>
  return
}

// -----

// Bounds are checked per element: the part of a window that is in bounds is written. XLA skips such a window.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %i = stablehlo.constant dense<[[2]]> : tensor<1x1xi32>
  %u = stablehlo.constant dense<[[10, 20]]> : tensor<1x2xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  } : (tensor<3xi32>, tensor<1x1xi32>, tensor<1x2xi32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[1, 2, 10]> : tensor<3xi32>
  return
}

// -----

// A batching dimension: row b of the indices writes into row b of inputs.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi32>
  %u = stablehlo.constant dense<[[10, 20], [30, 40]]> : tensor<2x2xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>
  } : (tensor<2x3xi32>, tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[21, 2, 13], [4, 75, 6]]> : tensor<2x3xi32>
  return
}

// -----

// Two inputs are updated together.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[0.5, 1.5]> : tensor<2xf32>
  %i = stablehlo.constant dense<[[1]]> : tensor<1x1xi32>
  %u = stablehlo.constant dense<[10]> : tensor<1xi32>
  %v = stablehlo.constant dense<[4.0]> : tensor<1xf32>
  %r:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) ({
  ^bb0(%a: tensor<i32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<f32>):
    %s = stablehlo.add %a, %c : tensor<i32>
    %p = stablehlo.multiply %b, %d : tensor<f32>
    stablehlo.return %s, %p : tensor<i32>, tensor<f32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  } : (tensor<2xi32>, tensor<2xf32>, tensor<1x1xi32>, tensor<1xi32>, tensor<1xf32>) -> (tensor<2xi32>, tensor<2xf32>)
  check.expect_eq_const %r#0, dense<[1, 12]> : tensor<2xi32>
  check.expect_eq_const %r#1, dense<[0.5, 6.0]> : tensor<2xf32>
  return
}

// -----

// No indices, no change.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %i = stablehlo.constant dense<> : tensor<0x1xi32>
  %u = stablehlo.constant dense<> : tensor<0xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  } : (tensor<2xi32>, tensor<0x1xi32>, tensor<0xi32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[1, 2]> : tensor<2xi32>
  return
}
