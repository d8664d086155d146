// RUN: opbyop-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(opbyop-block-for-registers))" | FileCheck %s

// Four rows and four steps of the sum at once: 16 elements of the left operand are loaded outside of the innermost
// loop, which loads 4 of the right operand and 4 sums.
// CHECK-LABEL: func @product
// CHECK-DAG:     %[[FOUR:.*]] = arith.constant 4 : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:           scf.for
// CHECK-COUNT-16:    memref.load %arg0
// CHECK:             scf.for
// CHECK-COUNT-4:       memref.load %arg1
// CHECK-COUNT-4:       memref.load %arg2
// CHECK-COUNT-16:      arith.addf
// CHECK-COUNT-4:       memref.store %{{.*}}, %arg2
// CHECK-NOT:           memref.store
#left = affine_map<(m, k, n) -> (m, k)>
#right = affine_map<(m, k, n) -> (k, n)>
#result = affine_map<(m, k, n) -> (m, n)>
func.func @product(%a: memref<64x128xf32>, %b: memref<128x256xf32>, %c: memref<64x256xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<64x128xf32>, memref<128x256xf32>) outs(%c : memref<64x256xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// A window of a convolution: the rows of a block are a stride of 2 apart.
// CHECK-LABEL: func @convolution
// CHECK:         memref.load %arg0
// CHECK:         affine.apply #{{.*}}
// CHECK-NOT:     linalg.generic
#input = affine_map<(y, w, i, o) -> (y * 2 + w, i)>
#kernel = affine_map<(y, w, i, o) -> (w, i, o)>
#sum = affine_map<(y, w, i, o) -> (y, o)>
func.func @convolution(%a: memref<131x64xf32>, %k: memref<3x64x128xf32>, %c: memref<64x128xf32>) {
  linalg.generic {indexing_maps = [#input, #kernel, #sum], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
      ins(%a, %k : memref<131x64xf32>, memref<3x64x128xf32>) outs(%c : memref<64x128xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Seven rows have no block of two, but the sum has one of four.
// CHECK-LABEL: func @odd_rows
// CHECK-COUNT-4: memref.load %arg0
// CHECK:         scf.for
// CHECK-COUNT-4:   arith.addf
// CHECK-NOT:       arith.addf
#left = affine_map<(m, k, n) -> (m, k)>
#right = affine_map<(m, k, n) -> (k, n)>
#result = affine_map<(m, k, n) -> (m, n)>
func.func @odd_rows(%a: memref<7x1024xf32>, %b: memref<1024x256xf32>, %c: memref<7x256xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<7x1024xf32>, memref<1024x256xf32>) outs(%c : memref<7x256xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Small products are left to the plain loops.
// CHECK-LABEL: func @small
// CHECK:         linalg.generic
#left = affine_map<(m, k, n) -> (m, k)>
#right = affine_map<(m, k, n) -> (k, n)>
#result = affine_map<(m, k, n) -> (m, n)>
func.func @small(%a: memref<8x16xf32>, %b: memref<16x32xf32>, %c: memref<8x32xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<8x16xf32>, memref<16x32xf32>) outs(%c : memref<8x32xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// The columns are the rows of a matrix, which are not successive in memory.
// CHECK-LABEL: func @rows_of_a_matrix
// CHECK:         linalg.generic
#left = affine_map<(m, k, n) -> (m, k)>
#right = affine_map<(m, k, n) -> (n, k)>
#result = affine_map<(m, k, n) -> (m, n)>
func.func @rows_of_a_matrix(%a: memref<1x4096xf32>, %b: memref<1024x4096xf32>, %c: memref<1x1024xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<1x4096xf32>, memref<1024x4096xf32>) outs(%c : memref<1x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
