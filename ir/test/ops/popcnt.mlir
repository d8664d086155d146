// stablehlo.popcnt: the number of bits that are set.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xi32>) {
  // CHECK: stablehlo.popcnt %arg0 : tensor<2xi32>
  %0 = stablehlo.popcnt %arg0 : tensor<2xi32>
  // CHECK: stablehlo.popcnt %arg0 : tensor<2xi32>
  %1 = "stablehlo.popcnt"(%arg0) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

//--- refused.mlir
// (I1) operand must hold integers.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signless or unsigned integer values, but got 'tensor<2xf32>'}}
  %0 = stablehlo.popcnt %arg0 : tensor<2xf32>
  return
}

// -----

// (C1) The count is of the type of the operand.
func.func @refused(%arg0: tensor<2xi64>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xi64>' are incompatible with return type(s) of operation 'tensor<2xi32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.popcnt %arg0 : (tensor<2xi64>) -> tensor<2xi32>
  return
}

//--- meaning.mlir
// Negative numbers by their two's complement.
func.func @main() {
  %x = stablehlo.constant dense<[0, 1, 127, -1, -128]> : tensor<5xi8>
  %r = stablehlo.popcnt %x : tensor<5xi8>
  check.expect_eq_const %r, dense<[0, 1, 7, 8, 1]> : tensor<5xi8>
  return
}

// -----

// 64-bit integers.
func.func @main() {
  %x = stablehlo.constant dense<[0, 18446744073709551615, 61680]> : tensor<3xui64>
  %r = stablehlo.popcnt %x : tensor<3xui64>
  check.expect_eq_const %r, dense<[0, 64, 8]> : tensor<3xui64>
  return
}
