// RUN: opbyop-opt %s --split-input-file --pass-pipeline='builtin.module(one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map},func.func(opbyop-distinct-results),buffer-results-to-out-params{hoist-static-allocs=true modify-public-functions=true})' | FileCheck %s

// A result is written where the caller wants it, not to memory of its own and copied.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[IN:.*]]: memref<4x8xf32>, %[[OUT:.*]]: memref<4x8xf32>)
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.map { arith.negf } ins(%[[IN]] : memref<4x8xf32>) outs(%[[OUT]] : memref<4x8xf32>)
// CHECK-NOT:     memref.copy
func.func @main(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %out = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.map { arith.negf } ins(%a : tensor<4x8xf32>) outs(%out : tensor<4x8xf32>)
  return %0 : tensor<4x8xf32>
}

// -----

// A result that is returned twice is copied once.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[IN:.*]]: memref<8xf32>, %[[FIRST:.*]]: memref<8xf32>, %[[SECOND:.*]]: memref<8xf32>)
// CHECK-NOT:     memref.alloc
// CHECK:         memref.copy
// CHECK-NOT:     memref.copy
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %out = tensor.empty() : tensor<8xf32>
  %0 = linalg.map { arith.negf } ins(%a : tensor<8xf32>) outs(%out : tensor<8xf32>)
  return %0, %0 : tensor<8xf32>, tensor<8xf32>
}
