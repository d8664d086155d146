// stablehlo.dynamic_update_slice: operand with a slice replaced, whose start is computed at run time.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<4x4xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<i64>) {
  // CHECK: stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg2 : (tensor<4x4xf32>, tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<4x4xf32>
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg2 : (tensor<4x4xf32>, tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<4x4xf32>
  // CHECK: stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg2 : (tensor<4x4xf32>, tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<4x4xf32>
  %1 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg2) : (tensor<4x4xf32>, tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<4x4xf32>
  return
}

//--- refused.mlir
// (C2) update holds elements of the type of operand.
func.func @refused(%arg0: tensor<4xf32>, %arg1: tensor<2xi32>, %arg2: tensor<i64>) {
  // expected-error @+2 {{expects an update of the operand's element type, but got 'tensor<2xi32>' and 'tensor<4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2 : (tensor<4xf32>, tensor<2xi32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

// (C4) There is one start index per dimension.
func.func @refused(%arg0: tensor<4x4xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<i64>) {
  // expected-error @+2 {{expects one start index per dimension, but got 1 for rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2 : (tensor<4x4xf32>, tensor<2x3xf32>, tensor<i64>) -> tensor<4x4xf32>
  return
}

// -----

// (C6) update is not larger than operand.
func.func @refused(%arg0: tensor<4xf32>, %arg1: tensor<5xf32>, %arg2: tensor<i64>) {
  // expected-error @+2 {{expects size 0 of the update to be in range [0, 4], but got 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2 : (tensor<4xf32>, tensor<5xf32>, tensor<i64>) -> tensor<4xf32>
  return
}

//--- meaning.mlir
// The slice at (0, 1) is replaced.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %u = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi32>
  %i = stablehlo.constant dense<0> : tensor<i64>
  %j = stablehlo.constant dense<1> : tensor<i64>
  %r = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<2x3xi32>, tensor<1x2xi32>, tensor<i64>, tensor<i64>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[1, 7, 8], [4, 5, 6]]> : tensor<2x3xi32>
  return
}

// -----

// Starts are clamped at both ends so that all of update fits.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %u = stablehlo.constant dense<[8, 9]> : tensor<2xi32>
  %i = stablehlo.constant dense<9> : tensor<i32>
  %j = stablehlo.constant dense<-1> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  %s = stablehlo.dynamic_update_slice %x, %u, %j : (tensor<4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %s, dense<[8, 9, 3, 4]> : tensor<4xi32>
  check.expect_eq_const %r, dense<[1, 2, 8, 9]> : tensor<4xi32>
  return
}

// -----

// An empty update changes nothing.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %u = stablehlo.constant dense<> : tensor<0xi32>
  %i = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<2xi32>, tensor<0xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[1, 2]> : tensor<2xi32>
  return
}
