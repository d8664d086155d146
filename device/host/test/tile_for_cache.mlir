// RUN: opbyop-opt %s --split-input-file --pass-pipeline="builtin.module(opbyop-stablehlo-to-linalg,func.func(opbyop-tile-for-cache))" | FileCheck %s

// The innermost loop goes from row to row of the matrix, so that each cache line would be fetched for each of its
// elements.
// CHECK-LABEL: func @vector_by_rows
// CHECK:         scf.for {{.*}} step %c128
// CHECK:           scf.for {{.*}} step %c40
// CHECK:             linalg.generic
func.func @vector_by_rows(%a: tensor<1x200xbf16>, %b: tensor<1200x200xbf16>) -> tensor<1x1200xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<1x200xbf16>, tensor<1200x200xbf16>) -> tensor<1x1200xf32>
  return %0 : tensor<1x1200xf32>
}

// -----

// The matrix is read once and in order.
// CHECK-LABEL: func @vector_by_columns
// CHECK-NOT:     scf.for
func.func @vector_by_columns(%a: tensor<1x200xbf16>, %b: tensor<200x1200xbf16>) -> tensor<1x1200xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x200xbf16>, tensor<200x1200xbf16>) -> tensor<1x1200xf32>
  return %0 : tensor<1x1200xf32>
}

// -----

// A row uses the block of one expert at a time.
// CHECK-LABEL: func @products_of_experts
// CHECK:         scf.for {{.*}} step %c128
// CHECK:           scf.for {{.*}} step %c1{{[ _]}}
// CHECK:             scf.for {{.*}} step %c64
// CHECK:               linalg.generic
func.func @products_of_experts(%a: tensor<8x32x256xbf16>, %b: tensor<8x256x512xbf16>) -> tensor<32x512xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [2, 0] x [1, 0] : (tensor<8x32x256xbf16>, tensor<8x256x512xbf16>) -> tensor<32x512xf32>
  return %0 : tensor<32x512xf32>
}

// -----

// The block of the right operand is contiguous and in the type of the products while each row uses it.
// CHECK-LABEL: func @many_rows
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[BLOCK:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<64x128xf32>)
// CHECK-NEXT:        ^bb0(%[[ELEMENT:.*]]: bf16, %{{.*}}: f32):
// CHECK-NEXT:          %[[WIDE:.*]] = arith.extf %[[ELEMENT]] : bf16 to f32
// CHECK-NEXT:          linalg.yield %[[WIDE]] : f32
// CHECK:             linalg.generic {{.*}} ins(%{{.*}}, %[[BLOCK]] : tensor<32x64xbf16>, tensor<64x128xf32>)
func.func @many_rows(%a: tensor<32x256xbf16>, %b: tensor<256x512xbf16>) -> tensor<32x512xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<32x256xbf16>, tensor<256x512xbf16>) -> tensor<32x512xf32>
  return %0 : tensor<32x512xf32>
}

// -----

// A copy would cost as much as the few rows that use it.
// CHECK-LABEL: func @few_rows
// CHECK:         scf.for
// CHECK-NOT:     tensor<64x128xf32>
// CHECK:         linalg.generic
func.func @few_rows(%a: tensor<8x256xbf16>, %b: tensor<256x512xbf16>) -> tensor<8x512xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x256xbf16>, tensor<256x512xbf16>) -> tensor<8x512xf32>
  return %0 : tensor<8x512xf32>
}
