// RUN: opbyop-opt %s --split-input-file --opbyop-stablehlo-to-linalg | FileCheck %s

// Floats of at most 8 bits are integers in memory, and are computed in f32.
// CHECK-LABEL: func @main
// CHECK-SAME:  tensor<4xi8>
func.func @main(%a: tensor<4xf8E4M3FN>, %b: tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN> {
  // CHECK: arith.bitcast {{.*}} : i32 to f32
  // CHECK: arith.bitcast {{.*}} : i32 to f32
  // CHECK: arith.addf {{.*}} : f32
  // CHECK: arith.trunci {{.*}} : i32 to i8
  // CHECK: linalg.yield {{.*}} : i8
  %0 = stablehlo.add %a, %b : tensor<4xf8E4M3FN>
  return %0 : tensor<4xf8E4M3FN>
}

// -----

// Elements that are only moved are not converted.
// CHECK-LABEL: func @main
// CHECK-SAME:  tensor<2x3xi4>
func.func @main(%a: tensor<2x3xf4E2M1FN>) -> tensor<3x2xf4E2M1FN> {
  // CHECK:     linalg.transpose
  // CHECK-NOT: arith
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf4E2M1FN>) -> tensor<3x2xf4E2M1FN>
  return %0 : tensor<3x2xf4E2M1FN>
}

// -----

// Sums are kept in f32.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<2x3xf8E5M2>, %b: tensor<3x2xf8E5M2>) -> tensor<2x2xf8E5M2> {
  // CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<2x2xf32>)
  // CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<2x2xi8>)
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf8E5M2>, tensor<3x2xf8E5M2>) -> tensor<2x2xf8E5M2>
  return %0 : tensor<2x2xf8E5M2>
}

// -----

// CHECK-LABEL: func @main
func.func @main() -> tensor<2xf6E3M2FN> {
  // CHECK: arith.constant dense<[12, 0]> : tensor<2xi6>
  %0 = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf6E3M2FN>
  return %0 : tensor<2xf6E3M2FN>
}
