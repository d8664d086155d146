// RUN: opbyop-opt %s --split-input-file --opbyop-stablehlo-to-linalg | FileCheck %s

// CHECK-LABEL: func @main
// CHECK-SAME:  %[[A:[a-z0-9]+]]: tensor<4xf32> {bufferization.writable = false}
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK:     linalg.generic {{.*}} ins(%[[A]], %{{.*}} : tensor<4xf32>, tensor<4xf32>)
  // CHECK:     arith.addf
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Unsigned integers become signless, with unsigned operations.
// CHECK-LABEL: func @main
// CHECK-SAME:  tensor<4xi8>
func.func @main(%a: tensor<4xui8>, %b: tensor<4xui8>) -> tensor<4xui8> {
  // CHECK: arith.maxui
  %0 = stablehlo.maximum %a, %b : tensor<4xui8>
  return %0 : tensor<4xui8>
}

// -----

// bf16 is computed in f32 and rounded once.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK: %[[WIDE:.*]] = arith.extf {{.*}} : bf16 to f32
  // CHECK: %[[TANH:.*]] = math.tanh %[[WIDE]] : f32
  // CHECK: arith.truncf %[[TANH]] : f32 to bf16
  %0 = stablehlo.tanh %a : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// Operands of rank 0 are broadcast.
// CHECK-DAG:   #[[SCALAR:.*]] = affine_map<(d0) -> ()>
// CHECK-LABEL: func @main
func.func @main(%p: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[SCALAR]],
  // CHECK: arith.select
  %0 = stablehlo.select %p, %a, %b : tensor<i1>, tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xi1> {
  // CHECK: arith.cmpf une
  %0 = stablehlo.compare NE, %a, %b, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: math.erf
  %0 = stablehlo.custom_call @mhlo.erf(%a) {mhlo.version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main() -> tensor<2x3xi32> {
  // CHECK: linalg.index 1
  %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

// CHECK-LABEL: func @main
func.func @main() -> tensor<2xui16> {
  // CHECK: arith.constant dense<[-1, 1]> : tensor<2xi16>
  %0 = stablehlo.constant dense<[65535, 1]> : tensor<2xui16>
  return %0 : tensor<2xui16>
}
