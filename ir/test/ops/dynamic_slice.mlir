// stablehlo.dynamic_slice: a slice of a fixed size whose start is computed at run time.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<4x4xf32>, %arg1: tensor<i64>) {
  // CHECK: stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [2, 3] : (tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
  %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [2, 3] : (tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
  // CHECK: stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [2, 3] : (tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
  %1 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg1) {slice_sizes = array<i64: 2, 3>} : (tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
  return
}

//--- refused.mlir
// (C2) There is one start index per dimension.
func.func @refused(%arg0: tensor<4x4xf32>, %arg1: tensor<i64>) {
  // expected-error @+2 {{expects one start index per dimension, but got 1 for rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [2, 3] : (tensor<4x4xf32>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

// (C3) Start indices have one type.
func.func @refused(%arg0: tensor<4x4xf32>, %arg1: tensor<i64>, %arg2: tensor<i32>) {
  // expected-error @+2 {{expects start indices of one element type, but got 'tensor<i64>', 'tensor<i32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg2, sizes = [2, 3] : (tensor<4x4xf32>, tensor<i64>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

// (C4) A slice is not larger than operand.
func.func @refused(%arg0: tensor<4xf32>, %arg1: tensor<i64>) {
  // expected-error @+2 {{expects slice size 0 to be in range [0, 4], but got 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [5] : (tensor<4xf32>, tensor<i64>) -> tensor<5xf32>
  return
}

//--- meaning.mlir
// The slice at (1, 1).
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi32>
  %i = stablehlo.constant dense<1> : tensor<i64>
  %r = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 1] : (tensor<3x3xi32>, tensor<i64>, tensor<i64>) -> tensor<2x1xi32>
  check.expect_eq_const %r, dense<[[5], [8]]> : tensor<2x1xi32>
  return
}

// -----

// A start that is too large is clamped to the last position where the slice fits, a negative one to zero.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %i = stablehlo.constant dense<3> : tensor<i32>
  %j = stablehlo.constant dense<-5> : tensor<i32>
  %r = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  %s = stablehlo.dynamic_slice %x, %j, sizes = [2] : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %s, dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %r, dense<[3, 4]> : tensor<2xi32>
  return
}

// -----

// An unsigned start is never negative.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %i = stablehlo.constant dense<255> : tensor<ui8>
  %r = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<4xi32>, tensor<ui8>) -> tensor<1xi32>
  check.expect_eq_const %r, dense<[4]> : tensor<1xi32>
  return
}
