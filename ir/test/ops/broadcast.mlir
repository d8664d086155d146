// stablehlo.broadcast: the deprecated form of broadcast_in_dim that puts new dimensions in front.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3xf32>) {
  // CHECK: stablehlo.broadcast %arg0, sizes = [4, 1] : (tensor<2x3xf32>) -> tensor<4x1x2x3xf32>
  %0 = stablehlo.broadcast %arg0, sizes = [4, 1] : (tensor<2x3xf32>) -> tensor<4x1x2x3xf32>
  // CHECK: stablehlo.broadcast %arg0, sizes = [4, 1] : (tensor<2x3xf32>) -> tensor<4x1x2x3xf32>
  %1 = "stablehlo.broadcast"(%arg0) {broadcast_sizes = array<i64: 4, 1>} : (tensor<2x3xf32>) -> tensor<4x1x2x3xf32>
  return
}

//--- refused.mlir
// The result is of the sizes followed by those of operand.
func.func @refused(%arg0: tensor<3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<3x2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.broadcast %arg0, sizes = [2] : (tensor<3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// Sizes are not negative.
func.func @refused(%arg0: tensor<3xf32>) {
  // expected-error @+2 {{expects non-negative broadcast_sizes, but got [-1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.broadcast %arg0, sizes = [-1] : (tensor<3xf32>) -> tensor<?x3xf32>
  return
}

//--- meaning.mlir
// Copies in front.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %r = stablehlo.broadcast %x, sizes = [2, 1] : (tensor<2xi32>) -> tensor<2x1x2xi32>
  check.expect_eq_const %r, dense<[[[1, 2]], [[1, 2]]]> : tensor<2x1x2xi32>
  return
}
