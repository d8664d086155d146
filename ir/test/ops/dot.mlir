// stablehlo.dot: the deprecated product of vectors and matrices: the last dimension of lhs with the first of rhs.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3xf32>, %arg1: tensor<3x2xf32>) {
  // CHECK: stablehlo.dot %arg0, %arg1, precision = [HIGHEST, DEFAULT] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %0 = stablehlo.dot %arg0, %arg1, precision = [HIGHEST, DEFAULT] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  // CHECK: stablehlo.dot %arg0, %arg1 : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %1 = "stablehlo.dot"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return
}

//--- refused.mlir
// The contracted dimensions are of one size.
func.func @refused(%arg0: tensor<2x3xf32>, %arg1: tensor<4x2xf32>) {
  // expected-error @+1 {{expects contracting dimensions of equal size, but got 'tensor<2x3xf32>' and 'tensor<4x2xf32>'}}
  %0 = stablehlo.dot %arg0, %arg1 : (tensor<2x3xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// Only vectors and matrices.
func.func @refused(%arg0: tensor<1x2x3xf32>, %arg1: tensor<3x2xf32>) {
  // expected-error @+1 {{expects operands of rank 1 or 2, but got 'tensor<1x2x3xf32>' and 'tensor<3x2xf32>'}}
  %0 = stablehlo.dot %arg0, %arg1 : (tensor<1x2x3xf32>, tensor<3x2xf32>) -> tensor<1x2x2xf32>
  return
}

//--- meaning.mlir
// Matrix by matrix.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = stablehlo.constant dense<[[1.0, -1.0], [0.5, 2.0], [0.0, 3.0]]> : tensor<3x2xf32>
  %r = stablehlo.dot %x, %y : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[2.0, 12.0], [6.5, 24.0]]> : tensor<2x2xf32>
  return
}

// -----

// Vector by vector: a scalar.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %y = stablehlo.constant dense<[4, 5, 6]> : tensor<3xi32>
  %r = stablehlo.dot %x, %y : (tensor<3xi32>, tensor<3xi32>) -> tensor<i32>
  check.expect_eq_const %r, dense<32> : tensor<i32>
  return
}
