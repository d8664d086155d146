// stablehlo.and: the AND of two tensors, bit by bit.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) {
  // CHECK: stablehlo.and %arg0, %arg1 : tensor<2xi32>
  %0 = stablehlo.and %arg0, %arg1 : tensor<2xi32>
  // CHECK: stablehlo.and %arg0, %arg1 : tensor<2xi32>
  %1 = "stablehlo.and"(%arg0, %arg1) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return
}

//--- refused.mlir
// (C1) Operands have one element type.
func.func @refused(%arg0: tensor<2xi32>, %arg1: tensor<2xi8>) {
  // expected-error @+2 {{requires the same element type for all operands, but 'tensor<2xi32>' and 'tensor<2xi8>' differ}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.and %arg0, %arg1 : (tensor<2xi32>, tensor<2xi8>) -> tensor<2xi32>
  return
}

// -----

// (C1) Operands have one shape: nothing is broadcast.
func.func @refused(%arg0: tensor<2xi32>, %arg1: tensor<1xi32>) {
  // expected-error @+2 {{requires compatible shapes, but dimension 0 has the sizes 2 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.and %arg0, %arg1 : (tensor<2xi32>, tensor<1xi32>) -> tensor<2xi32>
  return
}

// -----

// (I1) Floating-point numbers are not accepted.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of bool or 2/4/8/16/32/64-bit signless or unsigned integer values, but got 'tensor<2xf32>'}}
  %0 = stablehlo.and %arg0, %arg0 : tensor<2xf32>
  return
}

//--- meaning.mlir
// Booleans: logical AND.
func.func @main() {
  %x = stablehlo.constant dense<[true, true, false, false]> : tensor<4xi1>
  %y = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %r = stablehlo.and %x, %y : tensor<4xi1>
  check.expect_eq_const %r, dense<[true, false, false, false]> : tensor<4xi1>
  return
}

// -----

// Integers: bitwise AND of two's complements.
func.func @main() {
  %x = stablehlo.constant dense<[12, -1, -128, 0]> : tensor<4xi8>
  %y = stablehlo.constant dense<[10, 85, 127, -7]> : tensor<4xi8>
  %r = stablehlo.and %x, %y : tensor<4xi8>
  check.expect_eq_const %r, dense<[8, 85, 0, 0]> : tensor<4xi8>
  return
}

// -----

// 64-bit integers.
func.func @main() {
  %x = stablehlo.constant dense<[18446744073709551615, 61680]> : tensor<2xui64>
  %y = stablehlo.constant dense<[9223372036854775809, 255]> : tensor<2xui64>
  %r = stablehlo.and %x, %y : tensor<2xui64>
  check.expect_eq_const %r, dense<[9223372036854775809, 240]> : tensor<2xui64>
  return
}
