// stablehlo.remainder: what division toward zero leaves, with the sign of the dividend.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) {
  // CHECK: stablehlo.remainder %arg0, %arg1 : tensor<2xf32>
  %0 = stablehlo.remainder %arg0, %arg1 : tensor<2xf32>
  // CHECK: stablehlo.remainder %arg0, %arg1 : tensor<2xf32>
  %1 = "stablehlo.remainder"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C1) Operands have one element type.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>) {
  // expected-error @+2 {{requires the same element type for all operands, but 'tensor<2xf32>' and 'tensor<2xi32>' differ}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.remainder %arg0, %arg1 : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

// (C1) Operands have one shape: nothing is broadcast.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<1xf32>) {
  // expected-error @+2 {{requires compatible shapes, but dimension 0 has the sizes 2 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.remainder %arg0, %arg1 : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return
}

// -----

// (I1) Booleans are not accepted.
func.func @refused(%arg0: tensor<2xi1>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signless or unsigned integer or floating-point or complex type with f32 or f64 elements or per-tensor quantized integer values, but got 'tensor<2xi1>'}}
  %0 = stablehlo.remainder %arg0, %arg0 : tensor<2xi1>
  return
}

//--- meaning.mlir
// Exact, however large the quotient. The sign of the dividend stays where the result is zero.
func.func @main() {
  %x = stablehlo.constant dense<[17.1, -17.1, 5.5, -5.5, -6.0, 1.0, 1.0, 0x7F800000, 1.0e+30]> : tensor<9xf32>
  %y = stablehlo.constant dense<[3.0, 3.0, -2.0, 2.0, 2.0, 0x7F800000, 0.0, 2.0, 7.0]> : tensor<9xf32>
  %r = stablehlo.remainder %x, %y : tensor<9xf32>
  %expected = stablehlo.constant dense<[2.1000004, -2.1000004, 1.5, -1.5, -0.0, 1.0, 0x7FC00000, 0x7FC00000, 1.0]> : tensor<9xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<9xf32>, tensor<9xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<9xf32>
  %inverse = stablehlo.divide %one, %r : tensor<9xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<9xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<9xf32>, tensor<9xf32>
  return
}

// -----

// lhs - divide(lhs, rhs) * rhs.
func.func @main() {
  %x = stablehlo.constant dense<[17, -17, 17, -17]> : tensor<4xi32>
  %y = stablehlo.constant dense<[3, 3, -3, -3]> : tensor<4xi32>
  %r = stablehlo.remainder %x, %y : tensor<4xi32>
  check.expect_eq_const %r, dense<[2, -2, 2, -2]> : tensor<4xi32>
  return
}

// -----

// Unsigned integers.
func.func @main() {
  %x = stablehlo.constant dense<[255, 7]> : tensor<2xui8>
  %y = stablehlo.constant dense<[16, 8]> : tensor<2xui8>
  %r = stablehlo.remainder %x, %y : tensor<2xui8>
  check.expect_eq_const %r, dense<[15, 7]> : tensor<2xui8>
  return
}

// -----

// A tensor without elements.
func.func @main() {
  %x = stablehlo.constant dense<> : tensor<0x3xf32>
  %r = stablehlo.remainder %x, %x : tensor<0x3xf32>
  check.expect_eq_const %r, dense<> : tensor<0x3xf32>
  return
}
