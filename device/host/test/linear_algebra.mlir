// RUN: opbyop-opt %s --split-input-file --opbyop-stablehlo-to-linalg | FileCheck %s

// The loops are batches, columns, the rows below, and the sum over the columns before.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  // CHECK-COUNT-4: scf.for
  // CHECK: arith.mulf
  // CHECK: arith.subf
  // CHECK: math.sqrt
  // CHECK: arith.divf
  // CHECK: arith.select
  // CHECK: tensor.insert
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x4x4xf32>
  return %0 : tensor<2x4x4xf32>
}

// -----

// The upper factor is the adjoint of the lower factor of the adjoint matrix.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> {
  // CHECK: linalg.transpose
  // CHECK: arith.negf
  // CHECK: scf.for
  // CHECK: linalg.transpose
  // CHECK: arith.negf
  %0 = stablehlo.cholesky %a : tensor<4x4xcomplex<f32>>
  return %0 : tensor<4x4xcomplex<f32>>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<3x3xbf16>, %b: tensor<3x2xbf16>) -> tensor<3x2xbf16> {
  // CHECK-COUNT-2: arith.extf
  // CHECK-COUNT-4: scf.for
  // CHECK: arith.divf %{{.*}} : f32
  // CHECK: arith.truncf
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xbf16>, tensor<3x2xbf16>) -> tensor<3x2xbf16>
  return %0 : tensor<3x2xbf16>
}

// -----

// A system from the right is solved as the transposed system. There is no division by a unit diagonal.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<3x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  // CHECK: linalg.transpose
  // CHECK: scf.for
  // CHECK-NOT: arith.divf
  // CHECK: linalg.transpose
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}
