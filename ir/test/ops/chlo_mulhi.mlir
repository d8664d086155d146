// chlo.mulhi: the upper half of the product of integers.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) {
  // CHECK: chlo.mulhi %arg0, %arg1 : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  %0 = chlo.mulhi %arg0, %arg1 : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  // CHECK: chlo.mulhi %arg0, %arg1 : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  %1 = "chlo.mulhi"(%arg0, %arg1) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return
}

//--- refused.mlir
// Elements of f32 are not accepted.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signless or unsigned integer values, but got 'tensor<2xf32>'}}
  %0 = chlo.mulhi %arg0, %arg0 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

// Operands have one shape: nothing is broadcast.
func.func @refused(%arg0: tensor<2xi32>, %arg1: tensor<1xi32>) {
  // expected-error @+2 {{requires compatible shapes, but dimension 0 has the sizes 2 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.mulhi %arg0, %arg1 : tensor<2xi32>, tensor<1xi32> -> tensor<2xi32>
  return
}

//--- meaning.mlir
// Signed: the product of 16 bits, shifted by 8; -1 * 1 leaves -1.
func.func @main() {
  %x = stablehlo.constant dense<[127, -128, -1, 100]> : tensor<4xi8>
  %y = stablehlo.constant dense<[127, -128, 1, 3]> : tensor<4xi8>
  %r = chlo.mulhi %x, %y : tensor<4xi8>, tensor<4xi8> -> tensor<4xi8>
  check.expect_eq_const %r, dense<[63, 64, -1, 1]> : tensor<4xi8>
  return
}

// -----

// Unsigned.
func.func @main() {
  %x = stablehlo.constant dense<[255, 16]> : tensor<2xui8>
  %y = stablehlo.constant dense<[255, 16]> : tensor<2xui8>
  %r = chlo.mulhi %x, %y : tensor<2xui8>, tensor<2xui8> -> tensor<2xui8>
  check.expect_eq_const %r, dense<[254, 1]> : tensor<2xui8>
  return
}

// -----

// 64 bits: the product has 128.
func.func @main() {
  %x = stablehlo.constant dense<[18446744073709551615, 9223372036854775808]> : tensor<2xui64>
  %y = stablehlo.constant dense<[18446744073709551615, 2]> : tensor<2xui64>
  %r = chlo.mulhi %x, %y : tensor<2xui64>, tensor<2xui64> -> tensor<2xui64>
  check.expect_eq_const %r, dense<[18446744073709551614, 1]> : tensor<2xui64>
  return
}
