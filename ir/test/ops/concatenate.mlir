// stablehlo.concatenate: tensors joined along a dimension.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3xf32>) {
  // CHECK: stablehlo.concatenate %arg0, %arg0, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %0 = stablehlo.concatenate %arg0, %arg0, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  // CHECK: stablehlo.concatenate %arg0, dim = 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "stablehlo.concatenate"(%arg0) {dimension = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

//--- refused.mlir
// (C1) All inputs have one element type.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>) {
  // expected-error @+2 {{requires the same element type for all operands, but 'tensor<1xf32>' and 'tensor<1xi32>' differ}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<2xf32>, tensor<2xi32>) -> tensor<4xf32>
  return
}

// -----

// (C2) The other dimensions are of one size.
func.func @refused(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4xf32>) {
  // expected-error @+2 {{expects operands that agree outside dimension 0, but operands 0 and 1 have sizes 3 and 4 in dimension 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

// (C4) The dimension is one of the inputs.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{expects dimension to be in range [0, 1), but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.concatenate %arg0, %arg0, dim = 1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

//--- meaning.mlir
// Along rows.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[[7], [8]]> : tensor<2x1xi32>
  %r = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x4xi32>
  check.expect_eq_const %r, dense<[[1, 2, 3, 7], [4, 5, 6, 8]]> : tensor<2x4xi32>
  return
}

// -----

// An empty input adds nothing.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<> : tensor<0xi32>
  %r = stablehlo.concatenate %y, %x, %y, dim = 0 : (tensor<0xi32>, tensor<2xi32>, tensor<0xi32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[1, 2]> : tensor<2xi32>
  return
}
