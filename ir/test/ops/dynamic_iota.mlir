// stablehlo.dynamic_iota: iota of a shape computed at run time.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xi64>) {
  // CHECK: stablehlo.dynamic_iota %arg0, dim = 1 : (tensor<2xi64>) -> tensor<?x?xi32>
  %0 = stablehlo.dynamic_iota %arg0, dim = 1 : (tensor<2xi64>) -> tensor<?x?xi32>
  // CHECK: stablehlo.dynamic_iota %arg0, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
  %1 = "stablehlo.dynamic_iota"(%arg0) {iota_dimension = 0 : i64} : (tensor<2xi64>) -> tensor<?x?xf32>
  return
}

//--- refused.mlir
// (C1) The dimension is one of the result.
func.func @refused(%arg0: tensor<1xi64>) {
  // expected-error @+1 {{expects dimension to be in range [0, 1), but got 1}}
  %0 = stablehlo.dynamic_iota %arg0, dim = 1 : (tensor<1xi64>) -> tensor<?xi32>
  return
}

// -----

// (C2) The shape has one size per dimension of the result.
func.func @refused(%arg0: tensor<2xi64>) {
  // expected-error @+1 {{expects a result of as many dimensions as the shape operand has elements, 2, but got 'tensor<?xi32>'}}
  %0 = stablehlo.dynamic_iota %arg0, dim = 0 : (tensor<2xi64>) -> tensor<?xi32>
  return
}

//--- meaning.mlir
// Along columns.
func.func @main() {
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %d = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi64>) -> tensor<?x?xi32>
  %r = stablehlo.reshape %d : (tensor<?x?xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>
  return
}
