// chlo.ragged_dot: a dot_general whose ragged dimension of lhs is cut into groups of computed sizes.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<3x2xi32>, %arg1: tensor<2x2x2xi32>, %arg2: tensor<2xi64>) {
  // CHECK: "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGHEST>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<3x2xi32>, tensor<2x2x2xi32>, tensor<2xi64>) -> tensor<3x2xi32>
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGHEST>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<3x2xi32>, tensor<2x2x2xi32>, tensor<2xi64>) -> tensor<3x2xi32>
  return
}

//--- refused.mlir
// There is one group of rhs per size.
func.func @refused(%x: tensor<3x2xi32>, %y: tensor<2x2x2xi32>, %sizes: tensor<3xi64>) {
  // expected-error @+1 {{expects one group of rhs per group size, 3, but got 2}}
  %0 = "chlo.ragged_dot"(%x, %y, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<3x2xi32>, tensor<2x2x2xi32>, tensor<3xi64>) -> tensor<3x2xi32>
  return
}

// -----

// Contracted dimensions are of one size.
func.func @refused(%x: tensor<3x4xi32>, %y: tensor<2x2x2xi32>, %sizes: tensor<2xi64>) {
  // expected-error @+1 {{expects batching and contracting dimensions of equal size, but dimension 1 of lhs has 4 and dimension 1 of rhs has 2}}
  %0 = "chlo.ragged_dot"(%x, %y, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<3x4xi32>, tensor<2x2x2xi32>, tensor<2xi64>) -> tensor<3x2xi32>
  return
}

//--- meaning.mlir
// Rows of lhs in groups of one and two: each group is multiplied by its own matrix.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %y = stablehlo.constant dense<[[[1, 0], [0, 1]], [[10, 0], [0, 100]]]> : tensor<2x2x2xi32>
  %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %r = "chlo.ragged_dot"(%x, %y, %sizes)
    {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}
    : (tensor<3x2xi32>, tensor<2x2x2xi32>, tensor<2xi64>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[1, 2], [30, 400], [50, 600]]> : tensor<3x2xi32>
  return
}

// -----

// The contracted dimension in groups of two and one: one product per group.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[[1, 0], [0, 1], [10, 100]]> : tensor<3x2xi32>
  %sizes = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %r = "chlo.ragged_dot"(%x, %y, %sizes)
    {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>}
    : (tensor<2x3xi32>, tensor<3x2xi32>, tensor<2xi64>) -> tensor<2x2x2xi32>
  check.expect_eq_const %r, dense<[[[1, 2], [4, 5]], [[30, 300], [60, 600]]]> : tensor<2x2x2xi32>
  return
}
