// stablehlo.reduce_scatter: an all_reduce of which each process keeps one part.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<4xf32>) {
  // CHECK{LITERAL}: "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
  %0 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C1) The dimension divides among the processes.
func.func @refused(%x: tensor<3xi32>) {
  // expected-error @+1 {{expects a result of size 3 / 2 along scatter_dimension, but got 1}}
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3xi32>) -> tensor<1xi32>
  return
}

// -----

// (C2) The dimension is one of the operand.
func.func @refused(%x: tensor<4xi32>) {
  // expected-error @+1 {{expects scatter_dimension to be in range [0, 1), but got 1}}
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xi32>) -> tensor<2xi32>
  return
}

// -----

// (C8) The result is one part.
func.func @refused(%x: tensor<4xi32>) {
  // expected-error @+1 {{expects a result of size 4 / 2 along scatter_dimension, but got 1}}
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xi32>) -> tensor<1xi32>
  return
}

// -----

// (C3) A process must be in one group only.
func.func @refused(%x: tensor<4xi32>) {
  // expected-error @+1 {{has replica id 1 twice in replica_groups}}
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>} : (tensor<4xi32>) -> tensor<2xi32>
  return
}

//--- meaning.mlir
// Sums of four: the first half for the first process of the group.
func.func @process(%x: tensor<4xi32>) -> tensor<2xi32> {
  %r = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<4xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}
func.func @main() {
  %x0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %x1 = stablehlo.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  %r:2 = "interpreter.run_parallel"(%x0, %x1) {programs = [[@process], [@process]]} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %r#0, dense<[33, 44]> : tensor<2xi32>
  check.expect_eq_const %r#1, dense<[11, 22]> : tensor<2xi32>
  return
}

// -----

// Columns of a matrix.
func.func @process(%x: tensor<1x2xi32>) -> tensor<1x1xi32> {
  %r = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<1x2xi32>) -> tensor<1x1xi32>
  return %r : tensor<1x1xi32>
}
func.func @main() {
  %x0 = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %x1 = stablehlo.constant dense<[[30, 40]]> : tensor<1x2xi32>
  %r:2 = "interpreter.run_parallel"(%x0, %x1) {programs = [[@process], [@process]]} : (tensor<1x2xi32>, tensor<1x2xi32>) -> (tensor<1x1xi32>, tensor<1x1xi32>)
  check.expect_eq_const %r#0, dense<[[31]]> : tensor<1x1xi32>
  check.expect_eq_const %r#1, dense<[[42]]> : tensor<1x1xi32>
  return
}
