// RUN: opbyop-opt %s --pass-pipeline="builtin.module(func.func(opbyop-hoist-allocations))" | FileCheck %s

// CHECK-LABEL: func @loops
// CHECK-COUNT-3: memref.alloc()
// CHECK:       scf.while
// CHECK-NOT:   memref.alloc
// CHECK:       return
func.func @loops(%a: memref<4xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = scf.while (%x = %a) : (memref<4xf32>) -> memref<4xf32> {
    %p = memref.alloc() : memref<i1>
    %q = memref.load %p[] : memref<i1>
    scf.condition(%q) %x : memref<4xf32>
  } do {
  ^bb0(%x: memref<4xf32>):
    scf.for %i = %zero to %n step %one {
      %t = memref.alloc() : memref<4xf32>
      memref.copy %x, %t : memref<4xf32> to memref<4xf32>
      memref.copy %t, %x : memref<4xf32> to memref<4xf32>
    }
    %condition = memref.alloc() : memref<i1>
    %q = memref.load %condition[] : memref<i1>
    scf.if %q {
      memref.copy %a, %x : memref<4xf32> to memref<4xf32>
    }
    scf.yield %x : memref<4xf32>
  }
  return
}

// CHECK-LABEL: func @of_any_size
// CHECK:       scf.for
// CHECK-NEXT:    memref.alloc(
func.func @of_any_size(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %t = memref.alloc(%i) : memref<?xf32>
    memref.dealloc %t : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func @side_by_side
// CHECK:       scf.parallel
// CHECK-NEXT:    memref.alloc
func.func @side_by_side(%n: index, %a: memref<4xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.parallel (%i) = (%zero) to (%n) step (%one) {
    %t = memref.alloc() : memref<4xf32>
    memref.copy %a, %t : memref<4xf32> to memref<4xf32>
  }
  return
}
