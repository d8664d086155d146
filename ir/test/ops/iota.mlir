// stablehlo.iota: the index along a dimension, as elements.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form() {
  // CHECK: stablehlo.iota dim = 1 : tensor<2x3xi64>
  %0 = stablehlo.iota dim = 1 : tensor<2x3xi64>
  // CHECK: stablehlo.iota dim = 0 : tensor<4xf32>
  %1 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<4xf32>
  return
}

//--- refused.mlir
// (C1) The dimension is one of the result.
func.func @refused() {
  // expected-error @+1 {{expects iota_dimension to be in range [0, 1), but got 1}}
  %0 = stablehlo.iota dim = 1 : tensor<3xi32>
  return
}

// -----

// (C1) A scalar has no dimension to count along.
func.func @refused() {
  // expected-error @+1 {{expects iota_dimension to be in range [0, 0), but got 0}}
  %0 = stablehlo.iota dim = 0 : tensor<i32>
  return
}

// -----

// (I1) Booleans are not accepted.
func.func @refused() {
  // expected-error @+1 {{result #0 must be ranked tensor of 2/4/8/16/32/64-bit signless or unsigned integer or floating-point or complex type with f32 or f64 elements or per-tensor quantized integer values, but got 'tensor<2xi1>'}}
  %0 = stablehlo.iota dim = 0 : tensor<2xi1>
  return
}

//--- meaning.mlir
// Along rows and along columns.
func.func @main() {
  %r = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %s = stablehlo.iota dim = 0 : tensor<2x3xi32>
  check.expect_eq_const %s, dense<[[0, 0, 0], [1, 1, 1]]> : tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>
  return
}

// -----

// Complex elements: the index is the real part.
func.func @main() {
  %r = stablehlo.iota dim = 0 : tensor<3xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]> : tensor<3xcomplex<f32>>
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

// Numbers that the type cannot hold are rounded: bf16 has eight bits.
func.func @main() {
  %all = stablehlo.iota dim = 0 : tensor<260xbf16>
  %r = stablehlo.slice %all [255:260] : (tensor<260xbf16>) -> tensor<5xbf16>
  check.expect_eq_const %r, dense<[255.0, 256.0, 256.0, 258.0, 260.0]> : tensor<5xbf16>
  return
}
