// stablehlo.triangular_solve: the x of op(a) * x = b or of x * op(a) = b, for a triangular matrix a.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x2xf32>, %arg1: tensor<2x3xf32>) {
  // CHECK: "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

//--- refused.mlir
// (C3) a must be square.
func.func @refused(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) {
  // expected-error @+2 {{expects 'a' to be square in its two minor dimensions, but got 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// (C3) a must fit b.
func.func @refused(%arg0: tensor<2x2xf32>, %arg1: tensor<3x2xf32>) {
  // expected-error @+2 {{expects the shared dimension of 'a' and 'b' to be of equal size, but got 'tensor<2x2xf32>' and 'tensor<3x2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// (C1) Both have one element type.
func.func @refused(%arg0: tensor<2x2xf64>, %arg1: tensor<2x3xf32>) {
  // expected-error @+1 {{requires the same element type for all operands, but 'tensor<2x2xf64>' and 'tensor<2x3xf32>' differ}}
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// (C2) Both must have the same rank.
func.func @refused(%arg0: tensor<2x2xf32>, %arg1: tensor<1x2x3xf32>) {
  // expected-error @+2 {{expects operands of one rank, but got 'tensor<2x2xf32>' and 'tensor<1x2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
  return
}

//--- meaning.mlir
// 2x = 2 and x + 4y = 9. The other triangle is not read.
func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 0x7FC00000], [1.0, 4.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[2.0], [9.0]]> : tensor<2x1xf32>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  check.expect_eq_const %r, dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  return
}

// -----

// Its transpose: 2x + y = 4 and 4y = 8.
func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 0x7FC00000], [1.0, 4.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[4.0], [8.0]]> : tensor<2x1xf32>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  check.expect_eq_const %r, dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  return
}

// -----

// a on the right, upper: x * [[2, 1], [0, 4]] = [4, 10].
func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 1.0], [0x7FC00000, 4.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[4.0, 10.0]]> : tensor<1x2xf32>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  check.expect_eq_const %r, dense<[[2.0, 2.0]]> : tensor<1x2xf32>
  return
}

// -----

// unit_diagonal: the diagonal counts as ones.
func.func @main() {
  %a = stablehlo.constant dense<[[1.0, 0.0], [3.0, 1.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[2.0], [9.0]]> : tensor<2x1xf32>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  check.expect_eq_const %r, dense<[[2.0], [3.0]]> : tensor<2x1xf32>
  return
}

// -----

// ADJOINT conjugates: (2 - i) x = 5.
func.func @main() {
  %a = stablehlo.constant dense<[[(2.0, 1.0)]]> : tensor<1x1xcomplex<f32>>
  %b = stablehlo.constant dense<[[(5.0, 0.0)]]> : tensor<1x1xcomplex<f32>>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>} : (tensor<1x1xcomplex<f32>>, tensor<1x1xcomplex<f32>>) -> tensor<1x1xcomplex<f32>>
  check.expect_eq_const %r, dense<[[(2.0, 1.0)]]> : tensor<1x1xcomplex<f32>>
  return
}
