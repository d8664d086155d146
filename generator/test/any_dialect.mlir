// Ops of any dialect can be split: operands and captured values are arguments; attributes, regions and needed symbols
// are kept. The buffer for a result (tensor.empty) is no input. Ops of unknown dialects are read in generic form.
// RUN: rm -rf %t && opbyop split %s --regions=inside -q -o %t && cat %t/cases/*.mlir | FileCheck %s
// RUN: opbyop-opt %t/cases/linalg_generic_*.mlir -o %t/again.mlir

#id = affine_map<(d0) -> (d0)>
memref.global "private" constant @table : memref<4xf32> = dense<1.0>
func.func @main(%x: tensor<4xf32>, %s: f32, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %init = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %s : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %1 = scf.for %i = %zero to %n step %one iter_args(%v = %0) -> tensor<4xf32> {
    %e = tosa.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  %g = memref.get_global @table : memref<4xf32>
  %2 = "acme.fuse"(%1, %g) ({
    "acme.inner"(%x) {table = @table} : (tensor<4xf32>) -> ()
  }) {how = #acme.mode<fast>} : (tensor<4xf32>, memref<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK: // case: acme_fuse_4_f32
// CHECK: func.func @main(%arg0: tensor<4xf32>, %arg1: memref<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32>
// CHECK: "acme.fuse"(%arg0, %arg1)
// CHECK-NEXT: "acme.inner"(%arg2) {table = @callee_0}
// CHECK: how = #acme.mode<fast>
// CHECK: memref.global "private" constant @callee_0
// CHECK: // case: linalg_generic_4_scalar_f32
// CHECK: func.func @main(%arg0: tensor<4xf32>, %arg1: f32) -> tensor<4xf32>
// CHECK: tensor.empty
// CHECK: arith.mulf %{{.*}}, %arg1
// CHECK: // case: memref_get_global_memref
// CHECK: memref.get_global @callee_0
// CHECK: // case: scf_for_
// CHECK: arith.constant 0 : index
// CHECK-NOT: // case: tensor_empty_
// CHECK: // case: tosa_exp_4_f32
// CHECK: inside scf.for.0
