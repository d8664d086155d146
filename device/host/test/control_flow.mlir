// RUN: opbyop-opt %s --split-input-file --opbyop-stablehlo-to-linalg | FileCheck %s

// The values for the next iteration are written into the buffers of this one.
// CHECK-LABEL: func @main
func.func @main(%n: tensor<i32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: scf.while
  // CHECK: scf.condition
  // CHECK: bufferization.materialize_in_destination
  // CHECK: scf.yield
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %c = stablehlo.compare GT, %i, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.subtract %i, %one : tensor<i32>
    %w = stablehlo.add %v, %v : tensor<2xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%p: tensor<i1>, %x: tensor<2xui8>) -> tensor<2xui8> {
  // CHECK: scf.if
  // CHECK: } else {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2xui8>
  }, {
    %1 = stablehlo.add %x, %x : tensor<2xui8>
    stablehlo.return %1 : tensor<2xui8>
  }) : (tensor<i1>) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}

// -----

// Values that are swapped are copied before any of their buffers is written.
// CHECK-LABEL: func @main
func.func @main(%n: tensor<i32>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: } do {
  // CHECK: ^bb0(%{{.*}}: tensor<i32>, %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>)
  // CHECK: %[[NEW_X:.*]] = bufferization.alloc_tensor() copy(%[[Y]])
  // CHECK: %[[NEW_Y:.*]] = bufferization.alloc_tensor() copy(%[[X]])
  // CHECK: materialize_in_destination %[[NEW_X]] in %[[X]]
  // CHECK: materialize_in_destination %[[NEW_Y]] in %[[Y]]
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%i = %n, %v = %x, %w = %y) : tensor<i32>, tensor<2xf32>, tensor<2xf32>
  cond {
    %c = stablehlo.compare GT, %i, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.subtract %i, %one : tensor<i32>
    stablehlo.return %j, %w, %v : tensor<i32>, tensor<2xf32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}
