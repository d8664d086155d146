// stablehlo.divide: the quotient of two tensors, element by element.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) {
  // CHECK: stablehlo.divide %arg0, %arg1 : tensor<2xf32>
  %0 = stablehlo.divide %arg0, %arg1 : tensor<2xf32>
  // CHECK: stablehlo.divide %arg0, %arg1 : tensor<2xf32>
  %1 = "stablehlo.divide"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C1) Operands have one element type.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>) {
  // expected-error @+2 {{requires the same element type for all operands, but 'tensor<2xf32>' and 'tensor<2xi32>' differ}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.divide %arg0, %arg1 : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

// (C1) Operands have one shape: nothing is broadcast.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<1xf32>) {
  // expected-error @+2 {{requires compatible shapes, but dimension 0 has the sizes 2 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.divide %arg0, %arg1 : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return
}

// -----

// (I1) Booleans are not accepted.
func.func @refused(%arg0: tensor<2xi1>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signless or unsigned integer or floating-point or complex type with f32 or f64 elements or per-tensor quantized integer values, but got 'tensor<2xi1>'}}
  %0 = stablehlo.divide %arg0, %arg0 : tensor<2xi1>
  return
}

//--- meaning.mlir
// IEEE 754: correctly rounded; a zero divisor gives an infinity whose sign both operands decide.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, -1.0, 1.0, 0.0, 0x7F800000, 1.0]> : tensor<6xf32>
  %y = stablehlo.constant dense<[3.0, 0.0, -0.0, 0.0, 0x7F800000, 0x7F800000]> : tensor<6xf32>
  %r = stablehlo.divide %x, %y : tensor<6xf32>
  %expected = stablehlo.constant dense<[0.33333334, 0xFF800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0.0]> : tensor<6xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<6xf32>
  %inverse = stablehlo.divide %one, %r : tensor<6xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<6xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// Integers: the fraction is discarded, toward zero.
func.func @main() {
  %x = stablehlo.constant dense<[17, -17, 17, -17]> : tensor<4xi32>
  %y = stablehlo.constant dense<[3, 3, -3, -3]> : tensor<4xi32>
  %r = stablehlo.divide %x, %y : tensor<4xi32>
  check.expect_eq_const %r, dense<[5, -5, -5, 5]> : tensor<4xi32>
  return
}

// -----

// Unsigned integers.
func.func @main() {
  %x = stablehlo.constant dense<[255, 200]> : tensor<2xui8>
  %y = stablehlo.constant dense<[2, 201]> : tensor<2xui8>
  %r = stablehlo.divide %x, %y : tensor<2xui8>
  check.expect_eq_const %r, dense<[127, 0]> : tensor<2xui8>
  return
}

// -----

// (13 + i) / (3 - 5i) = (13 + i)(3 + 5i) / 34.
func.func @main() {
  %x = stablehlo.constant dense<[(13.0, 1.0), (1.0, 2.0)]> : tensor<2xcomplex<f32>>
  %y = stablehlo.constant dense<[(3.0, -5.0), (0.0, 2.0)]> : tensor<2xcomplex<f32>>
  %r = stablehlo.divide %x, %y : tensor<2xcomplex<f32>>
  check.expect_eq_const %r, dense<[(1.0, 2.0), (1.0, -0.5)]> : tensor<2xcomplex<f32>>
  return
}

// -----

// A tensor without elements.
func.func @main() {
  %x = stablehlo.constant dense<> : tensor<0x3xf32>
  %r = stablehlo.divide %x, %x : tensor<0x3xf32>
  check.expect_eq_const %r, dense<> : tensor<0x3xf32>
  return
}
