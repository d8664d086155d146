// stablehlo.reverse: operand with the order of elements along some dimensions reversed.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3xf32>) {
  // CHECK: stablehlo.reverse %arg0, dims = [1, 0] : tensor<2x3xf32>
  %0 = stablehlo.reverse %arg0, dims = [1, 0] : tensor<2x3xf32>
  // CHECK: stablehlo.reverse %arg0, dims = [1] : tensor<2x3xf32>
  %1 = "stablehlo.reverse"(%arg0) {dimensions = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

//--- refused.mlir
// (C2) dimensions must be unique.
func.func @refused(%arg0: tensor<3x2xf32>) {
  // expected-error @+2 {{expects dimensions to be unique, but got [1, 1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.reverse %arg0, dims = [1, 1] : tensor<3x2xf32>
  return
}

// -----

// (C3) Dimensions are those of operand.
func.func @refused(%arg0: tensor<3x2xf32>) {
  // expected-error @+2 {{expects each of dimensions to be in range [0, 2), but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.reverse %arg0, dims = [2] : tensor<3x2xf32>
  return
}

// -----

// (C1) Operand and result have one type.
func.func @refused(%arg0: tensor<3x2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<3x2xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.reverse %arg0, dims = [0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

//--- meaning.mlir
// Each row by itself.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r = stablehlo.reverse %x, dims = [1] : tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[3, 2, 1], [6, 5, 4]]> : tensor<2x3xi32>
  return
}

// -----

// Both dimensions.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r = stablehlo.reverse %x, dims = [0, 1] : tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[6, 5, 4], [3, 2, 1]]> : tensor<2x3xi32>
  return
}

// -----

// No dimension: the operand itself.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %r = stablehlo.reverse %x, dims = [] : tensor<2xi32>
  check.expect_eq_const %r, dense<[1, 2]> : tensor<2xi32>
  return
}
