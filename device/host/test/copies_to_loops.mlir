// RUN: opbyop-opt %s --pass-pipeline="builtin.module(func.func(opbyop-copies-to-loops))" | FileCheck %s

// CHECK-LABEL: func @strided
// CHECK:       linalg.generic
func.func @strided(%a: memref<4xf32, strided<[2]>>, %b: memref<4xf32>) {
  memref.copy %a, %b : memref<4xf32, strided<[2]>> to memref<4xf32>
  return
}

// CHECK-LABEL: func @contiguous
// CHECK:       memref.copy
func.func @contiguous(%a: memref<4xf32>, %b: memref<4xf32>) {
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  return
}
