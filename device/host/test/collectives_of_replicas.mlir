// Groups of replicas may have several sizes.
// RUN: opbyop-opt %s --opbyop-lower-collectives | FileCheck %s

module attributes {opbyop.grid = array<i64: 4, 1>} {
  // Only members of the group of three add a third tensor.
  // CHECK-LABEL: @sum_of_groups_of_several_sizes
  // CHECK: stablehlo.custom_call @opbyop.exchange(%arg0) {opbyop.groups = dense<{{\[\[}}0, 1, 2], [3, -1, -1]]> : tensor<2x3xi64>}
  // CHECK: dense<[3, 3, 3, 1]> : tensor<4xi32>
  // CHECK: stablehlo.compare GT
  // CHECK: stablehlo.select
  // CHECK: stablehlo.compare GT
  // CHECK: stablehlo.select
  // CHECK-NOT: all_reduce
  func.func @sum_of_groups_of_several_sizes(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2], [3, -1, -1]]> : tensor<2x3xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
