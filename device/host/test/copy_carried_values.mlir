// RUN: opbyop-opt %s --split-input-file --opbyop-copy-carried-values | FileCheck %s

// A branch returns a value that the loop carries, which may be overwritten before it is read: the body reads a copy.
// CHECK-LABEL: func @branch
// CHECK:         ^bb0(%[[V:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>):
// CHECK-DAG:       %[[V_COPY:.*]] = bufferization.alloc_tensor() copy(%[[V]])
// CHECK-DAG:       %[[W_COPY:.*]] = bufferization.alloc_tensor() copy(%[[W]])
// CHECK:           scf.if
// CHECK:             scf.yield %[[V_COPY]]
// CHECK:             scf.yield %[[W_COPY]]
// CHECK:           materialize_in_destination %{{.*}} in %[[V]]
// CHECK:           materialize_in_destination %[[V_COPY]] in %[[W]]
func.func @branch(%x: tensor<4xf32>, %p: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = scf.while (%v = %x, %w = %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.condition(%p) %v, %w : tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%v: tensor<4xf32>, %w: tensor<4xf32>):
    %1 = scf.if %p -> tensor<4xf32> {
      scf.yield %v : tensor<4xf32>
    } else {
      scf.yield %w : tensor<4xf32>
    }
    %2 = bufferization.materialize_in_destination %1 in %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %3 = bufferization.materialize_in_destination %v in %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %2, %3 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A value that can be updated where it is, and one that stays the same, are not copied.
// CHECK-LABEL: func @update
// CHECK-NOT:     bufferization.alloc_tensor
func.func @update(%x: tensor<4xf32>, %p: i1, %i: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = scf.while (%v = %x, %w = %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.condition(%p) %v, %w : tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%v: tensor<4xf32>, %w: tensor<4xf32>):
    %1 = tensor.insert %f into %v[%i] : tensor<4xf32>
    %2 = bufferization.materialize_in_destination %1 in %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %3 = bufferization.materialize_in_destination %w in %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %2, %3 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
