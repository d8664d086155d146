// stablehlo.not: the complement of each element.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xi32>) {
  // CHECK: stablehlo.not %arg0 : tensor<2xi32>
  %0 = stablehlo.not %arg0 : tensor<2xi32>
  // CHECK: stablehlo.not %arg0 : tensor<2xi32>
  %1 = "stablehlo.not"(%arg0) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

//--- refused.mlir
// (I1) Floating-point numbers are not accepted.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of bool or 2/4/8/16/32/64-bit signless or unsigned integer values, but got 'tensor<2xf32>'}}
  %0 = stablehlo.not %arg0 : tensor<2xf32>
  return
}

// -----

// (C1) Operand and result have one type.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xi32>' are incompatible with return type(s) of operation 'tensor<2xi8>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.not %arg0 : (tensor<2xi32>) -> tensor<2xi8>
  return
}

//--- meaning.mlir
// Booleans: logical NOT.
func.func @main() {
  %x = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %r = stablehlo.not %x : tensor<2xi1>
  check.expect_eq_const %r, dense<[false, true]> : tensor<2xi1>
  return
}

// -----

// Integers: bitwise NOT, which is -1 - x.
func.func @main() {
  %x = stablehlo.constant dense<[0, 1, -1, 127]> : tensor<4xi8>
  %r = stablehlo.not %x : tensor<4xi8>
  check.expect_eq_const %r, dense<[-1, -2, 0, -128]> : tensor<4xi8>
  return
}

// -----

// Unsigned integers: 255 - x.
func.func @main() {
  %x = stablehlo.constant dense<[0, 1, 255]> : tensor<3xui8>
  %r = stablehlo.not %x : tensor<3xui8>
  check.expect_eq_const %r, dense<[255, 254, 0]> : tensor<3xui8>
  return
}
