// stablehlo.get_dimension_size: the size of a dimension, as an i32.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x?xf32>) {
  // CHECK: stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<2x?xf32>) -> tensor<i32>
  %0 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<2x?xf32>) -> tensor<i32>
  // CHECK: stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<2x?xf32>) -> tensor<i32>
  %1 = "stablehlo.get_dimension_size"(%arg0) {dimension = 0 : i64} : (tensor<2x?xf32>) -> tensor<i32>
  return
}

//--- refused.mlir
// (C1) The dimension is one of operand.
func.func @refused(%arg0: tensor<2x?xf32>) {
  // expected-error @+2 {{expects dimension to be in range [0, 2), but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.get_dimension_size %arg0, dim = 2 : (tensor<2x?xf32>) -> tensor<i32>
  return
}

// -----

// (O1) The size must be an i32.
func.func @refused(%arg0: tensor<2x?xf32>) {
  // expected-error @+1 {{result #0 must be 0D tensor of 32-bit signless integer values, but got 'tensor<i64>'}}
  %0 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<2x?xf32>) -> tensor<i64>
  return
}

//--- meaning.mlir
// A static size, and one that is known at run time only.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %shape = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %d = stablehlo.dynamic_reshape %x, %shape : (tensor<2x3xi32>, tensor<2xi64>) -> tensor<?x?xi32>
  %r = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xi32>) -> tensor<i32>
  %s = stablehlo.get_dimension_size %d, dim = 0 : (tensor<?x?xi32>) -> tensor<i32>
  check.expect_eq_const %s, dense<3> : tensor<i32>
  check.expect_eq_const %r, dense<3> : tensor<i32>
  return
}
