// RUN: opbyop-opt %s --split-input-file --opbyop-stablehlo-to-linalg | FileCheck %s

// The loops are windows, then positions. The chosen element is carried as its value and its position.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<6x6xf32>, %s: tensor<4x4xf32>, %i: tensor<f32>) -> tensor<6x6xf32> {
  // CHECK: linalg.fill
  // CHECK-COUNT-2: scf.for
  // CHECK: scf.for {{.*}} -> (i1, f32, index, index)
  // CHECK: scf.for {{.*}} -> (i1, f32, index, index)
  // CHECK: arith.cmpf oge
  // CHECK: tensor.extract
  // CHECK: arith.addf
  // CHECK: tensor.insert
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 3, 3>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GE, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<6x6xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<6x6xf32>
  return %0 : tensor<6x6xf32>
}
