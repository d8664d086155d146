// stablehlo.all_reduce: the operands of all processes of a group, combined element by element.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK{LITERAL}: "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C1) A process must be in one group only.
func.func @refused(%x: tensor<2xi32>) {
  // expected-error @+2 {{has replica id 1 twice in replica_groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

// (C4) Global ids need a channel.
func.func @refused(%x: tensor<2xi32>) {
  // expected-error @+2 {{expects a channel id of at least 1 when use_global_device_ids is set, but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

// (C5) The computation takes two elements of the operand and returns one.
func.func @refused(%x: tensor<2xi32>) {
  // expected-error @+2 {{has a region whose result 0 of type 'tensor<f32>' cannot hold the initial value of type 'tensor<i32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

// (C6) Operand and result have one shape.
func.func @refused(%x: tensor<2xi32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xi32>' are incompatible with return type(s) of operation 'tensor<3xi32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<3xi32>
  return
}

//--- meaning.mlir
// Both replicas get the sum.
func.func @process(%x: tensor<2xi32>) -> tensor<2xi32> {
  %r = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}
func.func @main() {
  %x0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %x1 = stablehlo.constant dense<[30, 40]> : tensor<2xi32>
  %r:2 = "interpreter.run_parallel"(%x0, %x1) {programs = [[@process], [@process]]} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %r#0, dense<[31, 42]> : tensor<2xi32>
  check.expect_eq_const %r#1, dense<[31, 42]> : tensor<2xi32>
  return
}

// -----

// Two groups of one and of three; -1 fills up the shorter.
func.func @process(%x: tensor<2xi32>) -> tensor<2xi32> {
  %r = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, -1, -1], [1, 2, 3]]> : tensor<2x3xi64>} : (tensor<2xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}
func.func @main() {
  %x0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %x1 = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %x2 = stablehlo.constant dense<[100, 200]> : tensor<2xi32>
  %x3 = stablehlo.constant dense<[1000, 2000]> : tensor<2xi32>
  %r:4 = "interpreter.run_parallel"(%x0, %x1, %x2, %x3) {programs = [[@process], [@process], [@process], [@process]]} : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %r#0, dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %r#1, dense<[1110, 2220]> : tensor<2xi32>
  check.expect_eq_const %r#2, dense<[1110, 2220]> : tensor<2xi32>
  check.expect_eq_const %r#3, dense<[1110, 2220]> : tensor<2xi32>
  return
}

// -----

// With a channel, over the partitions of the replicas too.
func.func @process(%x: tensor<1xi32>) -> tensor<1xi32> {
  %r = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<1xi32>) -> tensor<1xi32>
  return %r : tensor<1xi32>
}
func.func @main() {
  %x0 = stablehlo.constant dense<[1]> : tensor<1xi32>
  %x1 = stablehlo.constant dense<[2]> : tensor<1xi32>
  %x2 = stablehlo.constant dense<[30]> : tensor<1xi32>
  %x3 = stablehlo.constant dense<[40]> : tensor<1xi32>
  %r:4 = "interpreter.run_parallel"(%x0, %x1, %x2, %x3) {programs = [[@process, @process], [@process, @process]]} : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>)
  check.expect_eq_const %r#0, dense<[3]> : tensor<1xi32>
  check.expect_eq_const %r#1, dense<[3]> : tensor<1xi32>
  check.expect_eq_const %r#2, dense<[70]> : tensor<1xi32>
  check.expect_eq_const %r#3, dense<[70]> : tensor<1xi32>
  return
}
