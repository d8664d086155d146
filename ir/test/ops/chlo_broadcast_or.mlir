// chlo.broadcast_or: the OR of two tensors that are broadcast to one shape.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3xi32>, %arg1: tensor<3xi32>, %arg2: tensor<2xi32>) {
  // CHECK: chlo.broadcast_or %arg0, %arg1 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %0 = chlo.broadcast_or %arg0, %arg1 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  // CHECK: chlo.broadcast_or %arg0, %arg2 {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  %1 = "chlo.broadcast_or"(%arg0, %arg2) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  return
}

//--- refused.mlir
// Sizes are equal or 1.
func.func @refused(%arg0: tensor<2x3xi32>, %arg1: tensor<4xi32>) {
  // expected-error @+2 {{cannot broadcast sizes 3 and 4 of result dimension 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.broadcast_or %arg0, %arg1 : (tensor<2x3xi32>, tensor<4xi32>) -> tensor<2x3xi32>
  return
}

// -----

// broadcast_dimensions must be dimensions of the result.
func.func @refused(%arg0: tensor<2x3xi32>, %arg1: tensor<2xi32>) {
  // expected-error @+2 {{expects each of broadcast_dimensions to be in range [0, 2), but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.broadcast_or %arg0, %arg1 {broadcast_dimensions = array<i64: 2>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  return
}

//--- meaning.mlir
// The vector is broadcast to every row: trailing dimensions are aligned, as in NumPy.
func.func @main() {
  %x = stablehlo.constant dense<[[1, -2, 3], [40, 5, -6]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[3, -4, 7]> : tensor<3xi32>
  %r = chlo.broadcast_or %x, %y : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[3, -2, 7], [43, -3, -1]]> : tensor<2x3xi32>
  return
}

// -----

// broadcast_dimensions = [0]: one element per row.
func.func @main() {
  %x = stablehlo.constant dense<[[1, -2, 3], [40, 5, -6]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[3, -4]> : tensor<2xi32>
  %r = chlo.broadcast_or %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[3, -1, 3], [-4, -3, -2]]> : tensor<2x3xi32>
  return
}

// -----

// Both operands are expanded: a column and a row.
func.func @main() {
  %x = stablehlo.constant dense<[[1], [-2]]> : tensor<2x1xi32>
  %y = stablehlo.constant dense<[[3, -4, 7]]> : tensor<1x3xi32>
  %r = chlo.broadcast_or %x, %y : (tensor<2x1xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[3, -3, 7], [-1, -2, -1]]> : tensor<2x3xi32>
  return
}
