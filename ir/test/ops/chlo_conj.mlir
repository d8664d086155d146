// chlo.conj: the complex conjugate.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xcomplex<f32>>) {
  // CHECK: chlo.conj %arg0 : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %0 = chlo.conj %arg0 : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  // CHECK: chlo.conj %arg0 : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %1 = "chlo.conj"(%arg0) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

//--- refused.mlir
// Elements of i32 are not accepted.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of floating-point or complex type with f32 or f64 elements values, but got 'tensor<2xi32>'}}
  %0 = chlo.conj %arg0 : tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

// Operand and result have one shape.
func.func @refused(%arg0: tensor<2xcomplex<f32>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xcomplex<f32>>' are incompatible with return type(s) of operation 'tensor<3xcomplex<f32>>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.conj %arg0 : tensor<2xcomplex<f32>> -> tensor<3xcomplex<f32>>
  return
}

//--- meaning.mlir
// The imaginary part is negated, zeros too.
func.func @main() {
  %x = stablehlo.constant dense<[(1.5, -2.0), (-0.0, 0.0), (0x7FC00000, 0x7F800000)]> : tensor<3xcomplex<f32>>
  %r = chlo.conj %x : tensor<3xcomplex<f32>> -> tensor<3xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.5, 2.0), (-0.0, -0.0), (0x7FC00000, 0xFF800000)]> : tensor<3xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<3xcomplex<f32>>, tensor<3xcomplex<f32>>
  // The check takes -0 for +0; 1 / x tells them apart.
  %r_real = stablehlo.real %r : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %expected_real = stablehlo.real %expected : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %r_imag = stablehlo.imag %r : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %expected_imag = stablehlo.imag %expected : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %inverse_real = stablehlo.divide %one, %r_real : tensor<3xf32>
  %expected_inverse_real = stablehlo.divide %one, %expected_real : tensor<3xf32>
  check.expect_close %inverse_real, %expected_inverse_real, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
  %inverse_imag = stablehlo.divide %one, %r_imag : tensor<3xf32>
  %expected_inverse_imag = stablehlo.divide %one, %expected_imag : tensor<3xf32>
  check.expect_close %inverse_imag, %expected_inverse_imag, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

// A real number is its own conjugate.
func.func @main() {
  %x = stablehlo.constant dense<[1.5, -2.0]> : tensor<2xf32>
  %r = chlo.conj %x : tensor<2xf32> -> tensor<2xf32>
  check.expect_eq_const %r, dense<[1.5, -2.0]> : tensor<2xf32>
  return
}
