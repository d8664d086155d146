// stablehlo.torch_index_select: the deprecated gather of whole slices along a dimension.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<5x1xf32>, %arg1: tensor<2xi32>) {
  // CHECK: "stablehlo.torch_index_select"(%arg0, %arg1) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<5x1xf32>, tensor<2xi32>) -> tensor<2x1xf32>
  %0 = "stablehlo.torch_index_select"(%arg0, %arg1) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<5x1xf32>, tensor<2xi32>) -> tensor<2x1xf32>
  return
}

//--- refused.mlir
// dim is a dimension of operand.
func.func @refused(%arg0: tensor<5x1xf32>, %arg1: tensor<2xi32>) {
  // expected-error @+1 {{expects dim to be in range [0, 2), but got 2}}
  %0 = "stablehlo.torch_index_select"(%arg0, %arg1) {dim = 2 : i64, batch_dims = 0 : i64} : (tensor<5x1xf32>, tensor<2xi32>) -> tensor<5x2xf32>
  return
}

// -----

// The result has the slices in the place of the dimension.
func.func @refused(%arg0: tensor<5x1xf32>, %arg1: tensor<2xi32>) {
  // expected-error @+1 {{has result type 'tensor<3x1xf32>', but its operands imply 'tensor<2x1xf32>'}}
  %0 = "stablehlo.torch_index_select"(%arg0, %arg1) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<5x1xf32>, tensor<2xi32>) -> tensor<3x1xf32>
  return
}

//--- meaning.mlir
// Columns 2 and 0.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %r = "stablehlo.torch_index_select"(%x, %i) {dim = 1 : i64, batch_dims = 0 : i64} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[3, 1], [6, 4]]> : tensor<2x2xi32>
  return
}

// -----

// With a batch dimension row b of index chooses from row b of operand.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[[2], [0]]> : tensor<2x1xi32>
  %r = "stablehlo.torch_index_select"(%x, %i) {dim = 1 : i64, batch_dims = 1 : i64} : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
  check.expect_eq_const %r, dense<[[3], [4]]> : tensor<2x1xi32>
  return
}
