// stablehlo.complex: complex numbers from real and imaginary parts.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) {
  // CHECK: stablehlo.complex %arg0, %arg1 : tensor<2xcomplex<f32>>
  %0 = stablehlo.complex %arg0, %arg1 : tensor<2xcomplex<f32>>
  // CHECK: stablehlo.complex %arg0, %arg1 : tensor<2xcomplex<f32>>
  %1 = "stablehlo.complex"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>
  return
}

//--- refused.mlir
// (C1) Both parts have one type.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<2xf64>) {
  // expected-error @+2 {{expects operands of the same element type, but got 'tensor<2xf32>', 'tensor<2xf64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.complex"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return
}

// -----

// (C3) The result is complex numbers of these parts.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xcomplex<f32>>' are incompatible with return type(s) of operation 'tensor<2xcomplex<f64>>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.complex"(%arg0, %arg0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f64>>
  return
}

// -----

// (I1) Parts must be f32 or f64.
func.func @refused(%arg0: tensor<2xbf16>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of f32 or f64 values, but got 'tensor<2xbf16>'}}
  %0 = "stablehlo.complex"(%arg0, %arg0) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xcomplex<f32>>
  return
}

//--- meaning.mlir
// Parts are kept as they are: signed zeros, infinities and NaN.
func.func @main() {
  %x = stablehlo.constant dense<[1.5, -0.0, 0x7F800000]> : tensor<3xf32>
  %y = stablehlo.constant dense<[-2.0, 0.0, 0x7FC00000]> : tensor<3xf32>
  %r = stablehlo.complex %x, %y : tensor<3xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.5, -2.0), (-0.0, 0.0), (0x7F800000, 0x7FC00000)]> : tensor<3xcomplex<f32>>
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
