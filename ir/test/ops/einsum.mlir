// stablehlo.einsum: the deprecated contraction by labels: what the result lacks is summed.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) {
  // CHECK: stablehlo.einsum %arg0, %arg1, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %0 = stablehlo.einsum %arg0, %arg1, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.einsum %arg0, %arg1, config = "ab,bc->ca" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  %1 = "stablehlo.einsum"(%arg0, %arg1) {einsum_config = "ab,bc->ca"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  return
}

//--- refused.mlir
// A label is of one size.
func.func @refused(%arg0: tensor<2x3xf32>, %arg1: tensor<4x5xf32>) {
  // expected-error @+1 {{expects equal sizes for label 'b', but got 3 and 4}}
  %0 = stablehlo.einsum %arg0, %arg1, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

// Labels of the result are labels of an operand.
func.func @refused(%arg0: tensor<2x3xf32>, %arg1: tensor<3x5xf32>) {
  // expected-error @+1 {{has label 'd' in the result of einsum_config only}}
  %0 = stablehlo.einsum %arg0, %arg1, config = "ab,bc->ad" : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

//--- meaning.mlir
// The transposed matrix product.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = stablehlo.constant dense<[[1.0, -1.0], [0.5, 2.0], [0.0, 3.0]]> : tensor<3x2xf32>
  %r = stablehlo.einsum %x, %y, config = "ab,bc->ca" : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[2.0, 6.5], [12.0, 24.0]]> : tensor<2x2xf32>
  return
}

// -----

// Everything is summed.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %r = stablehlo.einsum %x, %y, config = "a,b->" : (tensor<2xi32>, tensor<2xi32>) -> tensor<i32>
  check.expect_eq_const %r, dense<21> : tensor<i32>
  return
}
