// stablehlo.minimum: the lesser of two elements.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) {
  // CHECK: stablehlo.minimum %arg0, %arg1 : tensor<2xf32>
  %0 = stablehlo.minimum %arg0, %arg1 : tensor<2xf32>
  // CHECK: stablehlo.minimum %arg0, %arg1 : tensor<2xf32>
  %1 = "stablehlo.minimum"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C1) Operands have one element type.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>) {
  // expected-error @+2 {{requires the same element type for all operands, but 'tensor<2xf32>' and 'tensor<2xi32>' differ}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.minimum %arg0, %arg1 : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

// (C1) Operands have one shape: nothing is broadcast.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<1xf32>) {
  // expected-error @+2 {{requires compatible shapes, but dimension 0 has the sizes 2 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.minimum %arg0, %arg1 : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return
}

//--- meaning.mlir
// IEEE 754 minimum: NaN in either operand wins, -0 is less than +0.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 0x7FC00000, 2.0, -0.0, 0.0, 0x7F800000]> : tensor<6xf32>
  %y = stablehlo.constant dense<[2.0, 1.0, 0x7FC00000, 0.0, -0.0, 5.0]> : tensor<6xf32>
  %r = stablehlo.minimum %x, %y : tensor<6xf32>
  %expected = stablehlo.constant dense<[1.0, 0x7FC00000, 0x7FC00000, -0.0, -0.0, 5.0]> : tensor<6xf32>
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
  %x = stablehlo.constant dense<[-128, 127]> : tensor<2xi8>
  %y = stablehlo.constant dense<[127, -1]> : tensor<2xi8>
  %r = stablehlo.minimum %x, %y : tensor<2xi8>
  check.expect_eq_const %r, dense<[-128, -1]> : tensor<2xi8>
  return
}

// -----

// Unsigned integers.
func.func @main() {
  %x = stablehlo.constant dense<[128, 255]> : tensor<2xui8>
  %y = stablehlo.constant dense<[127, 0]> : tensor<2xui8>
  %r = stablehlo.minimum %x, %y : tensor<2xui8>
  check.expect_eq_const %r, dense<[127, 0]> : tensor<2xui8>
  return
}

// -----

// Booleans: logical AND.
func.func @main() {
  %x = stablehlo.constant dense<[true, true]> : tensor<2xi1>
  %y = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %r = stablehlo.minimum %x, %y : tensor<2xi1>
  check.expect_eq_const %r, dense<[false, true]> : tensor<2xi1>
  return
}

// -----

// Complex numbers by (real, imaginary), lexicographically.
func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 5.0), (2.0, -1.0)]> : tensor<2xcomplex<f32>>
  %y = stablehlo.constant dense<[(2.0, 0.5), (2.0, 1.0)]> : tensor<2xcomplex<f32>>
  %r = stablehlo.minimum %x, %y : tensor<2xcomplex<f32>>
  check.expect_eq_const %r, dense<[(1.0, 5.0), (2.0, -1.0)]> : tensor<2xcomplex<f32>>
  return
}

// -----

// A tensor without elements.
func.func @main() {
  %x = stablehlo.constant dense<> : tensor<0x3xf32>
  %r = stablehlo.minimum %x, %x : tensor<0x3xf32>
  check.expect_eq_const %r, dense<> : tensor<0x3xf32>
  return
}
