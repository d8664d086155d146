// stablehlo.all_gather: the operands of all processes of a group, one after another.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK{LITERAL}: "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  // CHECK: "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<2xf32>) -> tensor<4xf32>
  %1 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<2xf32>) -> tensor<4xf32>
  return
}

//--- refused.mlir
// (C1) The dimension is one of the operand.
func.func @refused(%x: tensor<2xi32>) {
  // expected-error @+1 {{expects all_gather_dim to be in range [0, 1), but got 1}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<4xi32>
  return
}

// -----

// (C2) A process must be in one group only.
func.func @refused(%x: tensor<2xi32>) {
  // expected-error @+1 {{has replica id 0 twice in replica_groups}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<4xi32>
  return
}

// -----

// (C5) Global ids need a channel. Only negative ones are refused: producers leave it out.
func.func @refused(%x: tensor<2xi32>) {
  // expected-error @+1 {{expects a channel id of at least 0 when use_global_device_ids is set, but got -1}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = -1, type = 0>, use_global_device_ids} : (tensor<2xi32>) -> tensor<4xi32>
  return
}

// -----

// (C6) The result must be a multiple of the operand.
func.func @refused(%x: tensor<2xi32>) {
  // expected-error @+1 {{expects result size 5 to be a multiple of operand size 2}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<5xi32>
  return
}

//--- meaning.mlir
// Two replicas: each gets both parts, in the order of the group.
func.func @process(%x: tensor<2xi32>) -> tensor<4xi32> {
  %r = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}
func.func @main() {
  %x0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %x1 = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %r:2 = "interpreter.run_parallel"(%x0, %x1) {programs = [[@process], [@process]]} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  check.expect_eq_const %r#0, dense<[3, 4, 1, 2]> : tensor<4xi32>
  check.expect_eq_const %r#1, dense<[3, 4, 1, 2]> : tensor<4xi32>
  return
}

// -----

// Two independent groups.
func.func @process(%x: tensor<2xi32>) -> tensor<4xi32> {
  %r = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>} : (tensor<2xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}
func.func @main() {
  %x0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %x1 = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %x2 = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
  %x3 = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
  %r:4 = "interpreter.run_parallel"(%x0, %x1, %x2, %x3) {programs = [[@process], [@process], [@process], [@process]]} : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
  check.expect_eq_const %r#0, dense<[1, 2, 5, 6]> : tensor<4xi32>
  check.expect_eq_const %r#1, dense<[3, 4, 7, 8]> : tensor<4xi32>
  check.expect_eq_const %r#2, dense<[1, 2, 5, 6]> : tensor<4xi32>
  check.expect_eq_const %r#3, dense<[3, 4, 7, 8]> : tensor<4xi32>
  return
}

// -----

// With a channel a group is of its replicas in partition 0, followed by those in partition 1.
func.func @process(%x: tensor<1xi32>) -> tensor<4xi32> {
  %r = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<1xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}
func.func @main() {
  %x0 = stablehlo.constant dense<[1]> : tensor<1xi32>
  %x1 = stablehlo.constant dense<[2]> : tensor<1xi32>
  %x2 = stablehlo.constant dense<[3]> : tensor<1xi32>
  %x3 = stablehlo.constant dense<[4]> : tensor<1xi32>
  %r:4 = "interpreter.run_parallel"(%x0, %x1, %x2, %x3) {programs = [[@process, @process], [@process, @process]]} : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
  check.expect_eq_const %r#0, dense<[1, 3, 2, 4]> : tensor<4xi32>
  check.expect_eq_const %r#1, dense<[1, 3, 2, 4]> : tensor<4xi32>
  check.expect_eq_const %r#2, dense<[1, 3, 2, 4]> : tensor<4xi32>
  check.expect_eq_const %r#3, dense<[1, 3, 2, 4]> : tensor<4xi32>
  return
}

// -----

// use_global_device_ids: ids count processes, replica * partitions + partition.
func.func @process(%x: tensor<1xi32>) -> tensor<2xi32> {
  %r = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<1xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}
func.func @main() {
  %x0 = stablehlo.constant dense<[1]> : tensor<1xi32>
  %x1 = stablehlo.constant dense<[2]> : tensor<1xi32>
  %x2 = stablehlo.constant dense<[3]> : tensor<1xi32>
  %x3 = stablehlo.constant dense<[4]> : tensor<1xi32>
  %r:4 = "interpreter.run_parallel"(%x0, %x1, %x2, %x3) {programs = [[@process, @process], [@process, @process]]} : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %r#0, dense<[1, 4]> : tensor<2xi32>
  check.expect_eq_const %r#1, dense<[2, 3]> : tensor<2xi32>
  check.expect_eq_const %r#2, dense<[2, 3]> : tensor<2xi32>
  check.expect_eq_const %r#3, dense<[1, 4]> : tensor<2xi32>
  return
}
