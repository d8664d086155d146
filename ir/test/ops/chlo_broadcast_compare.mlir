// chlo.broadcast_compare: the comparison of two tensors that are broadcast to one shape.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3xi32>, %arg1: tensor<3xi32>, %arg2: tensor<2xi32>) {
  // CHECK: chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi1>
  %0 = chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi1>
  // CHECK: chlo.broadcast_compare %arg0, %arg2 {broadcast_dimensions = array<i64: 0>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi1>
  %1 = "chlo.broadcast_compare"(%arg0, %arg2) <{broadcast_dimensions = array<i64: 0>, comparison_direction = #chlo<comparison_direction LT>}> : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi1>
  return
}

//--- refused.mlir
// Sizes are equal or 1.
func.func @refused(%arg0: tensor<2x3xi32>, %arg1: tensor<4xi32>) {
  // expected-error @+2 {{cannot broadcast sizes 3 and 4 of result dimension 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xi32>, tensor<4xi32>) -> tensor<2x3xi1>
  return
}

// -----

// broadcast_dimensions must be dimensions of the result.
func.func @refused(%arg0: tensor<2x3xi32>, %arg1: tensor<2xi32>) {
  // expected-error @+2 {{expects each of broadcast_dimensions to be in range [0, 2), but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.broadcast_compare %arg0, %arg1 {broadcast_dimensions = array<i64: 2>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi1>
  return
}

//--- meaning.mlir
// The vector is broadcast to every row: trailing dimensions are aligned, as in NumPy.
func.func @main() {
  %x = stablehlo.constant dense<[[1, -2, 3], [40, 5, -6]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[3, -4, 7]> : tensor<3xi32>
  %r = chlo.broadcast_compare %x, %y {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[true, false, true], [false, false, true]]> : tensor<2x3xi1>
  return
}

// -----

// broadcast_dimensions = [0]: one element per row.
func.func @main() {
  %x = stablehlo.constant dense<[[1, -2, 3], [40, 5, -6]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[3, -4]> : tensor<2xi32>
  %r = chlo.broadcast_compare %x, %y {broadcast_dimensions = array<i64: 0>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[true, true, false], [false, false, true]]> : tensor<2x3xi1>
  return
}

// -----

// Both operands are expanded: a column and a row.
func.func @main() {
  %x = stablehlo.constant dense<[[1], [-2]]> : tensor<2x1xi32>
  %y = stablehlo.constant dense<[[3, -4, 7]]> : tensor<1x3xi32>
  %r = chlo.broadcast_compare %x, %y {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x1xi32>, tensor<1x3xi32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[true, false, true], [true, false, true]]> : tensor<2x3xi1>
  return
}
