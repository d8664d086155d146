// RUN: opbyop-opt %s --split-input-file --pass-pipeline="builtin.module(opbyop-inline-calls,opbyop-stablehlo-to-linalg,func.func(opbyop-fuse-elementwise))" | FileCheck %s

// Each element is read once, so there is one loop nest.
// CHECK-LABEL: func @main
// CHECK:       linalg.generic
// CHECK:         math.exp
// CHECK:         arith.negf
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @main(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.exponential %a : tensor<4x8xf32>
  %1 = stablehlo.negate %0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// A product reads each element of its operands many times, so the exponential is not fused into it.
// CHECK-LABEL: func @main
// CHECK:       linalg.generic
// CHECK:         math.exp
// CHECK:       linalg.generic
// CHECK-NOT:     math.exp
// CHECK:         arith.addf
// CHECK:       return
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = stablehlo.exponential %a : tensor<4x8xf32>
  %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// -----

// A broadcast only moves data, so it is fused into the addition; the exponential before it is not.
// CHECK-LABEL: func @main
// CHECK:       linalg.generic
// CHECK:         math.exp
// CHECK:       linalg.generic
// CHECK-NOT:     math.exp
// CHECK:         arith.addf
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @main(%a: tensor<4xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.exponential %a : tensor<4xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.add %1, %b : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
