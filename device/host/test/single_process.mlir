// RUN: opbyop-opt %s --split-input-file --verify-diagnostics --opbyop-stablehlo-to-linalg | FileCheck %s

// For a single process, a reduction is the identity.
// CHECK-LABEL: func @main
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: return %[[A]]
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A process that receives nothing gets zeros.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[ZEROS:.*]] = linalg.fill
  // CHECK: return %[[ZEROS]]
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main() -> tensor<ui32> {
  // CHECK: arith.constant 0 : i32
  %0 = stablehlo.replica_id : tensor<ui32>
  return %0 : tensor<ui32>
}

// -----

func.func @main(%a: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @below {{unsupported: 'stablehlo.all_gather': it names process 1; the host is one process, 0}}
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
