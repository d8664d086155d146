// stablehlo.set_dimension_size: operand with a dimension cut to a size.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<4xf32>, %arg1: tensor<i32>) {
  // CHECK: stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  %0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  // CHECK: stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  %1 = "stablehlo.set_dimension_size"(%arg0, %arg1) {dimension = 0 : i64} : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  return
}

//--- refused.mlir
// The dimension is one of operand.
func.func @refused(%arg0: tensor<4xf32>, %arg1: tensor<i32>) {
  // expected-error @+2 {{expects dimension to be in range [0, 1), but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 1 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  return
}

// -----

// The size is an i32.
func.func @refused(%arg0: tensor<4xf32>, %arg1: tensor<i64>) {
  // expected-error @+1 {{operand #1 must be 0D tensor of 32-bit signless integer values, but got 'tensor<i64>'}}
  %0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : (tensor<4xf32>, tensor<i64>) -> tensor<?xf32, #stablehlo.bounds<4>>
  return
}

//--- meaning.mlir
// The first two columns.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %size = stablehlo.constant dense<2> : tensor<i32>
  %d = stablehlo.set_dimension_size %x, %size, dim = 1 : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x?xi32, #stablehlo.bounds<?, 3>>
  %n = stablehlo.get_dimension_size %d, dim = 1 : (tensor<2x?xi32, #stablehlo.bounds<?, 3>>) -> tensor<i32>
  check.expect_eq_const %n, dense<2> : tensor<i32>
  %r = stablehlo.reshape %d : (tensor<2x?xi32, #stablehlo.bounds<?, 3>>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[1, 2], [4, 5]]> : tensor<2x2xi32>
  return
}
