// stablehlo.abs: the magnitude of each element.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: stablehlo.abs %arg0 : tensor<2xf32>
  %0 = stablehlo.abs %arg0 : tensor<2xf32>
  // CHECK: stablehlo.abs %arg0 : tensor<2xf32>
  %1 = "stablehlo.abs"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func @complex
func.func @complex(%arg0: tensor<2xcomplex<f32>>) {
  // CHECK: stablehlo.abs %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %0 = stablehlo.abs %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // CHECK: stablehlo.abs %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %1 = "stablehlo.abs"(%arg0) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (I1) Elements of ui8 are not accepted.
func.func @refused(%arg0: tensor<2xui8>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signed integer or floating-point or complex type with f32 or f64 elements or per-tensor quantized integer values, but got 'tensor<2xui8>'}}
  %0 = stablehlo.abs %arg0 : tensor<2xui8>
  return
}

// -----

// (C1) Operand and result have one shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.abs %arg0 : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

// (C2) The magnitude of a complex number is real.
func.func @refused(%arg0: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{result #0 must be ranked tensor of 2/4/8/16/32/64-bit signed integer or floating-point or per-tensor quantized integer values, but got 'tensor<2xcomplex<f32>>'}}
  %0 = stablehlo.abs %arg0 : tensor<2xcomplex<f32>>
  return
}

//--- meaning.mlir
// The sign bit is cleared, of zeros and infinities too.
func.func @main() {
  %x = stablehlo.constant dense<[-1.5, 2.0, -0.0, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  %r = stablehlo.abs %x : tensor<5xf32>
  %expected = stablehlo.constant dense<[1.5, 2.0, 0.0, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<5xf32>
  %inverse = stablehlo.divide %one, %r : tensor<5xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<5xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

// Signed integers.
func.func @main() {
  %x = stablehlo.constant dense<[-127, -1, 0, 127]> : tensor<4xi8>
  %r = stablehlo.abs %x : tensor<4xi8>
  check.expect_eq_const %r, dense<[127, 1, 0, 127]> : tensor<4xi8>
  return
}

// -----

// sqrt(re^2 + im^2).
func.func @main() {
  %x = stablehlo.constant dense<[(3.0, 4.0), (-5.0, 12.0), (-0.0, -8.0)]> : tensor<3xcomplex<f32>>
  %r = stablehlo.abs %x : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[5.0, 13.0, 8.0]> : tensor<3xf32>
  return
}

// -----

// The squares neither overflow nor underflow; an infinite part decides.
func.func @main() {
  %x = stablehlo.constant dense<[(3.0e+38, 1.0e+38), (0x7F800000, 0x7FC00000), (3.0e-30, 4.0e-30)]> : tensor<3xcomplex<f32>>
  %r = stablehlo.abs %x : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %expected = stablehlo.constant dense<[3.1622777e+38, 0x7F800000, 5.0e-30]> : tensor<3xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<3xf32>, tensor<3xf32>
  return
}
