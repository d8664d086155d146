// RUN: opbyop-opt %s --split-input-file --opbyop-inline-calls | FileCheck %s --check-prefix=INLINE
// RUN: opbyop-opt %s --pass-pipeline="builtin.module(opbyop-inline-calls,opbyop-stablehlo-to-linalg,func.func(opbyop-tile-for-cache,opbyop-estimate-work))" | FileCheck %s --check-prefix=TILE

// INLINE-LABEL: func @main
// INLINE-NOT:   call
// INLINE-NOT:   composite
// INLINE:       stablehlo.dot_general
// INLINE-NOT:   func

// 8 * 1200 elements to clear and 50 blocks of 8 rows and 40 steps; a block at the edge has fewer columns, so their
// number is unknown and counts 1000.
// TILE:     opbyop.work = 16009660
// TILE:     scf.for
// TILE:       scf.for
// TILE:         tensor.extract_slice
// TILE:         linalg.generic
// TILE:         tensor.insert_slice
func.func @main(%a: tensor<8x200xf32>, %b: tensor<200x1200xf32>) -> tensor<8x1200xf32> {
  %0 = stablehlo.composite "test.product" %a, %b {decomposition = @outer} : (tensor<8x200xf32>, tensor<200x1200xf32>) -> tensor<8x1200xf32>
  return %0 : tensor<8x1200xf32>
}
func.func private @outer(%a: tensor<8x200xf32>, %b: tensor<200x1200xf32>) -> tensor<8x1200xf32> {
  %0 = call @inner(%a, %b) : (tensor<8x200xf32>, tensor<200x1200xf32>) -> tensor<8x1200xf32>
  return %0 : tensor<8x1200xf32>
}
func.func private @inner(%a: tensor<8x200xf32>, %b: tensor<200x1200xf32>) -> tensor<8x1200xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x200xf32>, tensor<200x1200xf32>) -> tensor<8x1200xf32>
  return %0 : tensor<8x1200xf32>
}
