// chlo.broadcast_polygamma: polygamma of two tensors that are broadcast to one shape.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2xf32>) {
  // CHECK: chlo.broadcast_polygamma %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %0 = chlo.broadcast_polygamma %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_polygamma %arg0, %arg2 {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  %1 = "chlo.broadcast_polygamma"(%arg0, %arg2) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

//--- refused.mlir
// Sizes are equal or 1.
func.func @refused(%arg0: tensor<2x3xf32>, %arg1: tensor<4xf32>) {
  // expected-error @+2 {{cannot broadcast sizes 3 and 4 of result dimension 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.broadcast_polygamma %arg0, %arg1 : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

// broadcast_dimensions must be dimensions of the result.
func.func @refused(%arg0: tensor<2x3xf32>, %arg1: tensor<2xf32>) {
  // expected-error @+2 {{expects each of broadcast_dimensions to be in range [0, 2), but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.broadcast_polygamma %arg0, %arg1 {broadcast_dimensions = array<i64: 2>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

//--- meaning.mlir
// The vector is broadcast to every row: trailing dimensions are aligned, as in NumPy.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 0.0], [3.0, 1.0, 2.0]]> : tensor<2x3xf32>
  %y = stablehlo.constant dense<[0.5, 3.0, 10.0]> : tensor<3xf32>
  %r = chlo.broadcast_polygamma %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %expected = stablehlo.constant dense<[[4.934802, -0.1541138, 2.2517526], [97.40909, 0.39493406, -0.011049835]]> : tensor<2x3xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

// broadcast_dimensions = [0]: one element per row.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 0.0], [3.0, 1.0, 2.0]]> : tensor<2x3xf32>
  %y = stablehlo.constant dense<[0.5, 3.0]> : tensor<2xf32>
  %r = chlo.broadcast_polygamma %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  %expected = stablehlo.constant dense<[[4.934802, -16.828796, -1.96351], [0.1189394, 0.39493406, -0.1541138]]> : tensor<2x3xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

// Both operands are expanded: a column and a row.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %y = stablehlo.constant dense<[[0.5, 3.0, 10.0]]> : tensor<1x3xf32>
  %r = chlo.broadcast_polygamma %x, %y : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %expected = stablehlo.constant dense<[[4.934802, 0.39493406, 0.10516634], [-16.828796, -0.1541138, -0.011049835]]> : tensor<2x3xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<2x3xf32>, tensor<2x3xf32>
  return
}
