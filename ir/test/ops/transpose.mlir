// stablehlo.transpose: operand with its dimensions in another order.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3xf32>) {
  // CHECK: stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK: stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = "stablehlo.transpose"(%arg0) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

//--- refused.mlir
// (C2) permutation names every dimension once.
func.func @refused(%arg0: tensor<3x4xf32>) {
  // expected-error @+2 {{expects permutation to be unique, but got [0, 0]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.transpose %arg0, dims = [0, 0] : (tensor<3x4xf32>) -> tensor<3x3xf32>
  return
}

// -----

// (C3) Dimension i of the result is dimension permutation[i] of operand.
func.func @refused(%arg0: tensor<3x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x3xf32>' are incompatible with return type(s) of operation 'tensor<3x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

//--- meaning.mlir
// Rows become columns.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  return
}

// -----

// dims = [1, 2, 0] takes result[i, j, k] from operand[k, i, j].
func.func @main() {
  %x = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6]]]> : tensor<1x3x2xi32>
  %r = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<1x3x2xi32>) -> tensor<3x2x1xi32>
  check.expect_eq_const %r, dense<[[[1], [2]], [[3], [4]], [[5], [6]]]> : tensor<3x2x1xi32>
  return
}

// -----

// A scalar has no dimensions to permute.
func.func @main() {
  %x = stablehlo.constant dense<7> : tensor<i32>
  %r = stablehlo.transpose %x, dims = [] : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %r, dense<7> : tensor<i32>
  return
}
