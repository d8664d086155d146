// stablehlo.convert: the same numbers as elements of another type.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: stablehlo.convert %arg0 : (tensor<2xf32>) -> tensor<2xi32>
  %0 = stablehlo.convert %arg0 : (tensor<2xf32>) -> tensor<2xi32>
  // CHECK: stablehlo.convert %arg0 : (tensor<2xf32>) -> tensor<2xi32>
  %1 = "stablehlo.convert"(%arg0) : (tensor<2xf32>) -> tensor<2xi32>
  return
}

//--- refused.mlir
// (C1) Operand and result have one shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{requires compatible shapes for all operands and results, but 'tensor<2xf32>' and 'tensor<3xi32>' differ}}
  %0 = stablehlo.convert %arg0 : (tensor<2xf32>) -> tensor<3xi32>
  return
}

// -----

// (I1) Quantized elements are converted by uniform_quantize and uniform_dequantize.
func.func @refused(%arg0: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of floating-point or bool or 2/4/8/16/32/64-bit signless or unsigned integer or complex type with f32 or f64 elements values, but got 'tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>'}}
  %0 = stablehlo.convert %arg0 : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>
  return
}

//--- meaning.mlir
// To integers the fraction is truncated, toward zero.
func.func @main() {
  %x = stablehlo.constant dense<[1.9, -1.9, 0.5, -0.0, 2.1474835e+09]> : tensor<5xf32>
  %r = stablehlo.convert %x : (tensor<5xf32>) -> tensor<5xi32>
  check.expect_eq_const %r, dense<[1, -1, 0, 0, 2147483520]> : tensor<5xi32>
  return
}

// -----

// To booleans: everything but zero is true, NaN too.
func.func @main() {
  %x = stablehlo.constant dense<[0.0, -0.0, 0.1, 0x7FC00000]> : tensor<4xf32>
  %r = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xi1>
  check.expect_eq_const %r, dense<[false, false, true, true]> : tensor<4xi1>
  return
}

// -----

// Booleans are zero and one.
func.func @main() {
  %x = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xf32>
  %expected = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %inverse = stablehlo.divide %one, %r : tensor<2xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<2xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

// To a narrower float: the nearest, ties to even.
func.func @main() {
  %x = stablehlo.constant dense<[16777217, 16777219, -7]> : tensor<3xi32>
  %r = stablehlo.convert %x : (tensor<3xi32>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[16777216.0, 16777220.0, -7.0]> : tensor<3xf32>
  return
}

// -----

// The smallest step above one in bf16 is 2^-7; halves go to even. Overflow is infinite.
func.func @main() {
  %x = stablehlo.constant dense<[1.0039062, 1.0117188, 3.4028235e+38, 0x7FC00000, -0.0]> : tensor<5xf32>
  %r = stablehlo.convert %x : (tensor<5xf32>) -> tensor<5xbf16>
  %expected = stablehlo.constant dense<[1.0, 1.015625, 0x7F80, 0x7FC0, -0.0]> : tensor<5xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<5xbf16>, tensor<5xbf16>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<5xbf16>
  %inverse = stablehlo.divide %one, %r : tensor<5xbf16>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<5xbf16>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<5xbf16>, tensor<5xbf16>
  return
}

// -----

// f16 overflows from 65520 on; half of its smallest subnormal is a tie that goes to zero.
func.func @main() {
  %x = stablehlo.constant dense<[65519.0, 65520.0, 2.9802322e-08, 4.4703484e-08]> : tensor<4xf32>
  %r = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf16>
  %expected = stablehlo.constant dense<[65504.0, 0x7C00, 0.0, 5.960464477539063e-08]> : tensor<4xf16>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<4xf16>, tensor<4xf16>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<4xf16>
  %inverse = stablehlo.divide %one, %r : tensor<4xf16>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<4xf16>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<4xf16>, tensor<4xf16>
  return
}

// -----

// Between integers of one width the bits are kept.
func.func @main() {
  %x = stablehlo.constant dense<[-1, 127]> : tensor<2xi8>
  %r = stablehlo.convert %x : (tensor<2xi8>) -> tensor<2xui8>
  check.expect_eq_const %r, dense<[255, 127]> : tensor<2xui8>
  return
}

// -----

// A narrower integer keeps the low bits, which the specification leaves open.
func.func @main() {
  %x = stablehlo.constant dense<[257, 128, -129]> : tensor<3xi32>
  %r = stablehlo.convert %x : (tensor<3xi32>) -> tensor<3xi8>
  check.expect_eq_const %r, dense<[1, -128, 127]> : tensor<3xi8>
  return
}

// -----

// Complex to real: the imaginary part is dropped.
func.func @main() {
  %x = stablehlo.constant dense<[(1.5, -2.0)]> : tensor<1xcomplex<f32>>
  %r = stablehlo.convert %x : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
  check.expect_eq_const %r, dense<[1.5]> : tensor<1xf32>
  return
}

// -----

// Real to complex: the imaginary part is zero.
func.func @main() {
  %x = stablehlo.constant dense<[1.5]> : tensor<1xf32>
  %r = stablehlo.convert %x : (tensor<1xf32>) -> tensor<1xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.5, 0.0)]> : tensor<1xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<1xcomplex<f32>>, tensor<1xcomplex<f32>>
  // The check takes -0 for +0; 1 / x tells them apart.
  %r_real = stablehlo.real %r : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
  %expected_real = stablehlo.real %expected : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
  %r_imag = stablehlo.imag %r : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
  %expected_imag = stablehlo.imag %expected : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
  %one = stablehlo.constant dense<1.0> : tensor<1xf32>
  %inverse_real = stablehlo.divide %one, %r_real : tensor<1xf32>
  %expected_inverse_real = stablehlo.divide %one, %expected_real : tensor<1xf32>
  check.expect_close %inverse_real, %expected_inverse_real, max_ulp_difference = 0 : tensor<1xf32>, tensor<1xf32>
  %inverse_imag = stablehlo.divide %one, %r_imag : tensor<1xf32>
  %expected_inverse_imag = stablehlo.divide %one, %expected_imag : tensor<1xf32>
  check.expect_close %inverse_imag, %expected_inverse_imag, max_ulp_difference = 0 : tensor<1xf32>, tensor<1xf32>
  return
}
