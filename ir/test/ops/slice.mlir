// stablehlo.slice: every stride-th element from start to before limit.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<4x6xf32>) {
  // CHECK: stablehlo.slice %arg0 [1:3, 0:6:2] : (tensor<4x6xf32>) -> tensor<2x3xf32>
  %0 = stablehlo.slice %arg0 [1:3, 0:6:2] : (tensor<4x6xf32>) -> tensor<2x3xf32>
  // CHECK: stablehlo.slice %arg0 [1:3, 0:6:2] : (tensor<4x6xf32>) -> tensor<2x3xf32>
  %1 = "stablehlo.slice"(%arg0) {start_indices = array<i64: 1, 0>, limit_indices = array<i64: 3, 6>, strides = array<i64: 1, 2>} : (tensor<4x6xf32>) -> tensor<2x3xf32>
  return
}

//--- refused.mlir
// (C2) Every dimension has its range.
func.func @refused(%arg0: tensor<3x3xf32>) {
  // expected-error @+2 {{expects 2 elements in start_indices, but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.slice %arg0 [1:2] : (tensor<3x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

// (C3) The limit is within operand: there are no negative indices as in Python.
func.func @refused(%arg0: tensor<3xf32>) {
  // expected-error @+2 {{expects 0 <= start <= limit <= 3 in dimension 0, but got start 1 and limit 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.slice %arg0 [1:4] : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// (C4) Strides are positive.
func.func @refused(%arg0: tensor<3xf32>) {
  // expected-error @+2 {{expects positive strides, but got 0 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.slice %arg0 [0:3:0] : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// (C5) The result is of the size of the range.
func.func @refused(%arg0: tensor<5xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.slice %arg0 [0:5:2] : (tensor<5xf32>) -> tensor<2xf32>
  return
}

//--- meaning.mlir
// A column.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r = stablehlo.slice %x [0:2, 1:2] : (tensor<2x3xi32>) -> tensor<2x1xi32>
  check.expect_eq_const %r, dense<[[2], [5]]> : tensor<2x1xi32>
  return
}

// -----

// With a stride the size is rounded up.
func.func @main() {
  %x = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %r = stablehlo.slice %x [0:5:2] : (tensor<5xi32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[0, 2, 4]> : tensor<3xi32>
  return
}

// -----

// An empty range, at the end too.
func.func @main() {
  %x = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %r = stablehlo.slice %x [2:2] : (tensor<2xi32>) -> tensor<0xi32>
  check.expect_eq_const %r, dense<> : tensor<0xi32>
  return
}
