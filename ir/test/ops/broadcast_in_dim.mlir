// stablehlo.broadcast_in_dim: the elements of operand, repeated along new dimensions and those of size 1.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3xf32>) {
  // CHECK: stablehlo.broadcast_in_dim %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK: stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x5x3xf32>
  %1 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64: 0, 2>} : (tensor<2x3xf32>) -> tensor<2x5x3xf32>
  return
}

//--- refused.mlir
// (C2) There is one broadcast dimension per operand dimension.
func.func @refused(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{expects 2 elements in broadcast_dimensions, but got 1}}
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// (C4) broadcast_dimensions must be unique.
func.func @refused(%arg0: tensor<2x2xf32>) {
  // expected-error @+1 {{expects broadcast_dimensions to be unique, but got [0, 0]}}
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 0] : (tensor<2x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// (C5) A dimension is kept or of size 1.
func.func @refused(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{expects operand dimension 0 of size 3 to be 1 or the size of result dimension 1, 4}}
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<2x4xf32>
  return
}

//--- meaning.mlir
// The row is repeated.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[1, 2, 3], [1, 2, 3]]> : tensor<2x3xi32>
  return
}

// -----

// A dimension of size 1 is repeated, and dimensions may be permuted.
func.func @main() {
  %x = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %r = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x1xi32>) -> tensor<3x1x2xi32>
  check.expect_eq_const %r, dense<[[[1, 2]], [[1, 2]], [[1, 2]]]> : tensor<3x1x2xi32>
  return
}

// -----

// A scalar fills a tensor, with -0 too.
func.func @main() {
  %x = stablehlo.constant dense<-0.0> : tensor<f32>
  %r = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %expected = stablehlo.constant dense<[-0.0, -0.0]> : tensor<2xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %inverse = stablehlo.divide %one, %r : tensor<2xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<2xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

// To an empty result.
func.func @main() {
  %x = stablehlo.constant dense<[7]> : tensor<1xi32>
  %r = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<1xi32>) -> tensor<0xi32>
  check.expect_eq_const %r, dense<> : tensor<0xi32>
  return
}
