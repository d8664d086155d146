// stablehlo.shift_right_arithmetic: lhs shifted right by rhs bits, filled with copies of the sign.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) {
  // CHECK: stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<2xi32>
  %0 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<2xi32>
  // CHECK: stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<2xi32>
  %1 = "stablehlo.shift_right_arithmetic"(%arg0, %arg1) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return
}

//--- refused.mlir
// (C1) Operands have one element type.
func.func @refused(%arg0: tensor<2xi32>, %arg1: tensor<2xi8>) {
  // expected-error @+2 {{requires the same element type for all operands, but 'tensor<2xi32>' and 'tensor<2xi8>' differ}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.shift_right_arithmetic %arg0, %arg1 : (tensor<2xi32>, tensor<2xi8>) -> tensor<2xi32>
  return
}

// -----

// (C1) Operands have one shape: nothing is broadcast.
func.func @refused(%arg0: tensor<2xi32>, %arg1: tensor<1xi32>) {
  // expected-error @+2 {{requires compatible shapes, but dimension 0 has the sizes 2 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.shift_right_arithmetic %arg0, %arg1 : (tensor<2xi32>, tensor<1xi32>) -> tensor<2xi32>
  return
}

// -----

// (I1) lhs must hold integers.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signless or unsigned integer values, but got 'tensor<2xf32>'}}
  %0 = stablehlo.shift_right_arithmetic %arg0, %arg0 : tensor<2xf32>
  return
}

//--- meaning.mlir
// The quotient by a power of two, rounded toward minus infinity.
func.func @main() {
  %x = stablehlo.constant dense<[-128, 127, -1, -7]> : tensor<4xi8>
  %y = stablehlo.constant dense<[3, 6, 7, 1]> : tensor<4xi8>
  %r = stablehlo.shift_right_arithmetic %x, %y : tensor<4xi8>
  check.expect_eq_const %r, dense<[-16, 1, -1, -4]> : tensor<4xi8>
  return
}

// -----

// The highest bit of an unsigned integer is copied too.
func.func @main() {
  %x = stablehlo.constant dense<[128, 64]> : tensor<2xui8>
  %y = stablehlo.constant dense<[3, 3]> : tensor<2xui8>
  %r = stablehlo.shift_right_arithmetic %x, %y : tensor<2xui8>
  check.expect_eq_const %r, dense<[240, 8]> : tensor<2xui8>
  return
}

// -----

// An amount outside [0, 8) leaves the sign only. The specification does not say.
func.func @main() {
  %x = stablehlo.constant dense<[-5, 5, -5]> : tensor<3xi8>
  %y = stablehlo.constant dense<[8, 100, -1]> : tensor<3xi8>
  %r = stablehlo.shift_right_arithmetic %x, %y : tensor<3xi8>
  check.expect_eq_const %r, dense<[-1, 0, -1]> : tensor<3xi8>
  return
}
