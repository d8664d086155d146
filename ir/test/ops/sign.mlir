// stablehlo.sign: minus one, zero or one; of a complex number its direction.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: stablehlo.sign %arg0 : tensor<2xf32>
  %0 = stablehlo.sign %arg0 : tensor<2xf32>
  // CHECK: stablehlo.sign %arg0 : tensor<2xf32>
  %1 = "stablehlo.sign"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (I1) Elements of ui8 are not accepted.
func.func @refused(%arg0: tensor<2xui8>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signed integer or floating-point or complex type with f32 or f64 elements or per-tensor quantized integer values, but got 'tensor<2xui8>'}}
  %0 = stablehlo.sign %arg0 : tensor<2xui8>
  return
}

// -----

// (C1) Operand and result have one shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.sign %arg0 : (tensor<2xf32>) -> tensor<3xf32>
  return
}

//--- meaning.mlir
// Zeros keep their sign, NaN is kept.
func.func @main() {
  %x = stablehlo.constant dense<[-2.5, 1.0e-45, 0.0, -0.0, 0xFF800000, 0x7FC00000]> : tensor<6xf32>
  %r = stablehlo.sign %x : tensor<6xf32>
  %expected = stablehlo.constant dense<[-1.0, 1.0, 0.0, -0.0, -1.0, 0x7FC00000]> : tensor<6xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<6xf32>
  %inverse = stablehlo.divide %one, %r : tensor<6xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<6xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// Signed integers.
func.func @main() {
  %x = stablehlo.constant dense<[-2147483648, -1, 0, 7]> : tensor<4xi32>
  %r = stablehlo.sign %x : tensor<4xi32>
  check.expect_eq_const %r, dense<[-1, -1, 0, 1]> : tensor<4xi32>
  return
}

// -----

// x / abs(x), of length one. NaN in one part makes both NaN.
func.func @main() {
  %x = stablehlo.constant dense<[(3.0, 4.0), (0.0, 0.0), (0.0, -2.0), (0x7FC00000, 1.0)]> : tensor<4xcomplex<f32>>
  %r = stablehlo.sign %x : tensor<4xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.6, 0.8), (0.0, 0.0), (0.0, -1.0), (0x7FC00000, 0x7FC00000)]> : tensor<4xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>
  // The check takes -0 for +0; 1 / x tells them apart.
  %r_real = stablehlo.real %r : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %expected_real = stablehlo.real %expected : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %r_imag = stablehlo.imag %r : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %expected_imag = stablehlo.imag %expected : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %inverse_real = stablehlo.divide %one, %r_real : tensor<4xf32>
  %expected_inverse_real = stablehlo.divide %one, %expected_real : tensor<4xf32>
  check.expect_close %inverse_real, %expected_inverse_real, max_ulp_difference = 0 : tensor<4xf32>, tensor<4xf32>
  %inverse_imag = stablehlo.divide %one, %r_imag : tensor<4xf32>
  %expected_inverse_imag = stablehlo.divide %one, %expected_imag : tensor<4xf32>
  check.expect_close %inverse_imag, %expected_inverse_imag, max_ulp_difference = 0 : tensor<4xf32>, tensor<4xf32>
  return
}
