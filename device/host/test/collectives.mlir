// Collectives between the processes of a grid become exchanges of tensors within groups.
// RUN: opbyop-opt %s --opbyop-lower-collectives | FileCheck %s

module attributes {opbyop.grid = array<i64: 1, 4>} {
  // CHECK-LABEL: @sum
  // CHECK: %[[ALL:.*]] = stablehlo.custom_call @opbyop.exchange(%arg0) {opbyop.groups = dense<{{\[\[}}0, 2], [1, 3]]> : tensor<2x2xi64>} : (tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: "stablehlo.map"(%{{.*}}, %{{.*}}) <{dimensions = array<i64: 0>}>
  // CHECK-NOT: all_reduce
  func.func @sum(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }

  // The first process of a group has the sum. Process 3 is in no group.
  // CHECK-LABEL: @sum_for_the_first
  // CHECK: opbyop.groups = dense<{{\[\[}}2, 0]]> : tensor<1x2xi64>
  // CHECK: dense<[1, -1, 0, -1]> : tensor<4xi32>
  // CHECK: stablehlo.compare EQ
  // CHECK: stablehlo.select
  // CHECK-NOT: collective_reduce
  func.func @sum_for_the_first(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.collective_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[2, 0]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }

  // Groups that are left out are all replicas, of which there is one: each process is alone.
  // CHECK-LABEL: @gather_alone
  // CHECK: opbyop.groups = dense<{{\[\[}}0], [1], [2], [3]]> : tensor<4x1xi64>
  func.func @gather_alone(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }

  // Replicas stand for all their partitions.
  // CHECK-LABEL: @gather_all
  // CHECK: opbyop.groups = dense<{{\[\[}}0, 1, 2, 3]]> : tensor<1x4xi64>
  // CHECK: stablehlo.concatenate {{.*}}, dim = 0 : ({{.*}}) -> tensor<12xf32>
  func.func @gather_all(%x: tensor<3xf32>) -> tensor<12xf32> {
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<3xf32>) -> tensor<12xf32>
    return %0 : tensor<12xf32>
  }

  // A process that the grid does not have is left for the lowering to refuse.
  // CHECK-LABEL: @absent
  // CHECK: stablehlo.all_gather
  func.func @absent(%x: tensor<3xf32>) -> tensor<6xf32> {
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }

  // CHECK-LABEL: @id
  // CHECK: dense<[0, 1, 2, 3]> : tensor<4xi32>
  // CHECK: stablehlo.custom_call @opbyop.process()
  func.func @id() -> tensor<ui32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    return %0 : tensor<ui32>
  }
}
