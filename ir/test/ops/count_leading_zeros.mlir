// stablehlo.count_leading_zeros: the number of zero bits above the highest set one.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xi32>) {
  // CHECK: stablehlo.count_leading_zeros %arg0 : tensor<2xi32>
  %0 = stablehlo.count_leading_zeros %arg0 : tensor<2xi32>
  // CHECK: stablehlo.count_leading_zeros %arg0 : tensor<2xi32>
  %1 = "stablehlo.count_leading_zeros"(%arg0) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

//--- refused.mlir
// (I1) operand must hold integers.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signless or unsigned integer values, but got 'tensor<2xf32>'}}
  %0 = stablehlo.count_leading_zeros %arg0 : tensor<2xf32>
  return
}

// -----

// (C1) The count is of the type of the operand.
func.func @refused(%arg0: tensor<2xi64>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xi64>' are incompatible with return type(s) of operation 'tensor<2xi32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.count_leading_zeros %arg0 : (tensor<2xi64>) -> tensor<2xi32>
  return
}

//--- meaning.mlir
// Zero has as many as the type has bits, a negative number none.
func.func @main() {
  %x = stablehlo.constant dense<[0, 1, 16, 127, -1]> : tensor<5xi8>
  %r = stablehlo.count_leading_zeros %x : tensor<5xi8>
  check.expect_eq_const %r, dense<[8, 7, 3, 1, 0]> : tensor<5xi8>
  return
}

// -----

// Elements have 32 bits.
func.func @main() {
  %x = stablehlo.constant dense<[0, 1, 4294967295, 65536]> : tensor<4xui32>
  %r = stablehlo.count_leading_zeros %x : tensor<4xui32>
  check.expect_eq_const %r, dense<[32, 31, 0, 15]> : tensor<4xui32>
  return
}
