// stablehlo.cholesky: a triangular factor of a positive definite matrix: a = l * adjoint(l) = adjoint(u) * u.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3x3xf32>) {
  // CHECK: stablehlo.cholesky %arg0, lower = true : tensor<2x3x3xf32>
  %0 = stablehlo.cholesky %arg0, lower = true : tensor<2x3x3xf32>
  // CHECK: stablehlo.cholesky %arg0 : tensor<2x3x3xf32>
  %1 = "stablehlo.cholesky"(%arg0) : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return
}

//--- refused.mlir
// (C2) Matrices have two dimensions.
func.func @refused(%arg0: tensor<3xf32>) {
  // expected-error @+2 {{expects 'a' to be square in its two minor dimensions, but got 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.cholesky %arg0 : tensor<3xf32>
  return
}

// -----

// (C3) Matrices must be square.
func.func @refused(%arg0: tensor<2x3xf32>) {
  // expected-error @+2 {{expects 'a' to be square in its two minor dimensions, but got 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.cholesky %arg0 : tensor<2x3xf32>
  return
}

//--- meaning.mlir
// The lower factor. Elements above its diagonal are implementation-defined.
func.func @main() {
  %a = stablehlo.constant dense<[[4.0, 2.0, -2.0], [2.0, 10.0, 2.0], [-2.0, 2.0, 6.0]]> : tensor<3x3xf32>
  %f = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>
  %row = stablehlo.iota dim = 0 : tensor<3x3xi32>
  %column = stablehlo.iota dim = 1 : tensor<3x3xi32>
  %inside = stablehlo.compare GE, %row, %column : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<3x3xf32>
  %r = stablehlo.select %inside, %f, %zero : tensor<3x3xi1>, tensor<3x3xf32>
  %expected = stablehlo.constant dense<[[2.0, 0.0, 0.0], [1.0, 3.0, 0.0], [-1.0, 1.0, 2.0]]> : tensor<3x3xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<3x3xf32>, tensor<3x3xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<3x3xf32>
  %inverse = stablehlo.divide %one, %r : tensor<3x3xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<3x3xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<3x3xf32>, tensor<3x3xf32>
  return
}

// -----

// The upper factor is its transpose. Only the upper triangle is read.
func.func @main() {
  %a = stablehlo.constant dense<[[4.0, 2.0, -2.0], [0x7FC00000, 10.0, 2.0], [0x7FC00000, 0x7FC00000, 6.0]]> : tensor<3x3xf32>
  %f = stablehlo.cholesky %a : tensor<3x3xf32>
  %row = stablehlo.iota dim = 0 : tensor<3x3xi32>
  %column = stablehlo.iota dim = 1 : tensor<3x3xi32>
  %inside = stablehlo.compare LE, %row, %column : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<3x3xf32>
  %r = stablehlo.select %inside, %f, %zero : tensor<3x3xi1>, tensor<3x3xf32>
  %expected = stablehlo.constant dense<[[2.0, 1.0, -1.0], [0.0, 3.0, 1.0], [0.0, 0.0, 2.0]]> : tensor<3x3xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<3x3xf32>, tensor<3x3xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<3x3xf32>
  %inverse = stablehlo.divide %one, %r : tensor<3x3xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<3x3xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<3x3xf32>, tensor<3x3xf32>
  return
}

// -----

// Hermitian matrices: the factor is of complex numbers with a real diagonal.
func.func @main() {
  %a = stablehlo.constant dense<[[(4.0, 0.0), (2.0, -2.0)], [(2.0, 2.0), (11.0, 0.0)]]> : tensor<2x2xcomplex<f32>>
  %f = stablehlo.cholesky %a, lower = true : tensor<2x2xcomplex<f32>>
  %row = stablehlo.iota dim = 0 : tensor<2x2xi32>
  %column = stablehlo.iota dim = 1 : tensor<2x2xi32>
  %inside = stablehlo.compare GE, %row, %column : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<2x2xcomplex<f32>>
  %r = stablehlo.select %inside, %f, %zero : tensor<2x2xi1>, tensor<2x2xcomplex<f32>>
  %expected = stablehlo.constant dense<[[(2.0, 0.0), (0.0, 0.0)], [(1.0, 1.0), (3.0, 0.0)]]> : tensor<2x2xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>
  // The check takes -0 for +0; 1 / x tells them apart.
  %r_real = stablehlo.real %r : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xf32>
  %expected_real = stablehlo.real %expected : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xf32>
  %r_imag = stablehlo.imag %r : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xf32>
  %expected_imag = stablehlo.imag %expected : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xf32>
  %one = stablehlo.constant dense<1.0> : tensor<2x2xf32>
  %inverse_real = stablehlo.divide %one, %r_real : tensor<2x2xf32>
  %expected_inverse_real = stablehlo.divide %one, %expected_real : tensor<2x2xf32>
  check.expect_close %inverse_real, %expected_inverse_real, max_ulp_difference = 0 : tensor<2x2xf32>, tensor<2x2xf32>
  %inverse_imag = stablehlo.divide %one, %r_imag : tensor<2x2xf32>
  %expected_inverse_imag = stablehlo.divide %one, %expected_imag : tensor<2x2xf32>
  check.expect_close %inverse_imag, %expected_inverse_imag, max_ulp_difference = 0 : tensor<2x2xf32>, tensor<2x2xf32>
  return
}
