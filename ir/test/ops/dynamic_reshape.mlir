// stablehlo.dynamic_reshape: reshape to a shape computed at run time.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<?xf32>, %arg1: tensor<2xi64>) {
  // CHECK: stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = "stablehlo.dynamic_reshape"(%arg0, %arg1) : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

//--- refused.mlir
// (C1) The element type is kept.
func.func @refused(%arg0: tensor<?xf32>, %arg1: tensor<2xi64>) {
  // expected-error @+1 {{expects operand and result of the same element type, but got 'tensor<?xf32>' and 'tensor<?x?xi32>'}}
  %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xi32>
  return
}

// -----

// (C2) The number of elements is kept.
func.func @refused(%arg0: tensor<5xf32>, %arg1: tensor<2xi64>) {
  // expected-error @+1 {{expects as many result elements as operand elements, 5, but got 6}}
  %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<5xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

// (C4) The shape has one size per dimension of the result.
func.func @refused(%arg0: tensor<?xf32>, %arg1: tensor<3xi64>) {
  // expected-error @+1 {{expects a result of as many dimensions as the shape operand has elements, 3, but got 'tensor<?x?xf32>'}}
  %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?xf32>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}

//--- meaning.mlir
// The last dimension varies fastest.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %shape = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %d = stablehlo.dynamic_reshape %x, %shape : (tensor<2x3xi32>, tensor<2xi64>) -> tensor<?x?xi32>
  %r = stablehlo.reshape %d : (tensor<?x?xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  return
}
