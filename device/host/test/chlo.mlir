// RUN: opbyop-opt %s --split-input-file --opbyop-decompose | FileCheck %s --check-prefix=HLO
// RUN: opbyop-opt %s --split-input-file --opbyop-decompose --opbyop-stablehlo-to-linalg | FileCheck %s --check-prefix=LINALG

// Starts with a polynomial, then uses Newton's method on libm's erf.
// LINALG-LABEL: func @erf_inv
func.func @erf_inv(%a: tensor<4xf64>) -> tensor<4xf64> {
  // LINALG: math.log
  // LINALG: math.erf
  // LINALG: math.erfc
  // LINALG: math.copysign
  %0 = chlo.erf_inv %a : tensor<4xf64> -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

// Narrower floats are computed in f64 and rounded once.
// LINALG-LABEL: func @lgamma
func.func @lgamma(%a: tensor<4xf32>) -> tensor<4xf32> {
  // LINALG: arith.extf {{.*}} : f32 to f64
  // LINALG: math.log {{.*}} : f64
  // LINALG: arith.truncf {{.*}} : f64 to f32
  %0 = chlo.lgamma %a : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The number of terms is decided at run time.
// LINALG-LABEL: func @zeta
func.func @zeta(%a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
  // LINALG: scf.for
  // LINALG:   math.powf
  %0 = chlo.zeta %a, %b : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

// LINALG-LABEL: func @asin
func.func @asin(%a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // LINALG: complex.re
  // LINALG: math.atan2 {{.*}} : f64
  // LINALG: complex.create
  %0 = chlo.asin %a : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

// Computed on the bits of the format itself.
// LINALG-LABEL: func @next_after
func.func @next_after(%a: tensor<4xbf16>, %b: tensor<4xbf16>) -> tensor<4xbf16> {
  // LINALG: arith.bitcast {{.*}} : bf16 to i16
  // LINALG: arith.addi {{.*}} : i16
  %0 = chlo.next_after %a, %b : tensor<4xbf16>, tensor<4xbf16> -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// HLO-LABEL: func @broadcast
func.func @broadcast(%a: tensor<3x1xf32>, %b: tensor<4xf32>) -> tensor<3x4xi1> {
  // HLO: stablehlo.broadcast_in_dim %{{.*}}, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x4xf32>
  // HLO: stablehlo.broadcast_in_dim %{{.*}}, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
  // HLO: stablehlo.compare LT
  %0 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>} : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xi1>
  return %0 : tensor<3x4xi1>
}

// -----

// HLO-LABEL: func @top_k
func.func @top_k(%a: tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  // HLO: stablehlo.iota dim = 1
  // HLO: "stablehlo.sort"
  // HLO:   stablehlo.compare GT, %{{.*}}, %{{.*}}, TOTALORDER
  // HLO: stablehlo.slice %{{.*}} [0:2, 0:3]
  %0, %1 = chlo.top_k(%a, k = 3) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xi32>
}

// -----

// One product per group; only the rows of the group are taken from it.
// HLO-LABEL: func @ragged_dot
func.func @ragged_dot(%a: tensor<5x4xf32>, %b: tensor<2x4x3xf32>, %g: tensor<2xi32>) -> tensor<5x3xf32> {
  // HLO: stablehlo.while
  // HLO: stablehlo.dynamic_slice{{.*}}tensor<2x4x3xf32>
  // HLO: stablehlo.dot_general{{.*}}(tensor<1x4xf32>, tensor<4x3xf32>) -> tensor<1x3xf32>
  // HLO-NOT: stablehlo.dot_general
  %0 = "chlo.ragged_dot"(%a, %b, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<5x4xf32>, tensor<2x4x3xf32>, tensor<2xi32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// -----

// HLO-LABEL: func @constant_like
func.func @constant_like(%a: tensor<4xf32>) -> tensor<4xf32> {
  // HLO: stablehlo.constant dense<2.500000e+00> : tensor<4xf32>
  %0 = "chlo.constant_like"(%a) {value = 2.5 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
