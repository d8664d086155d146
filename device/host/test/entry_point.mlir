// RUN: opbyop-opt %s --split-input-file --pass-pipeline="builtin.module(opbyop-entry-point{optimize-from=100})" | FileCheck %s

// CHECK-LABEL: llvm.func internal @main
// CHECK-SAME:  {llvm.noalias}
// CHECK-SAME:  {llvm.noalias}
// CHECK-SAME:  optimize_none
llvm.func @main(%a: !llvm.ptr, %b: !llvm.ptr) attributes {opbyop.work = 99 : i64} {
  llvm.return
}
// CHECK:       llvm.func @opbyop_entry(%[[BUFFERS:.*]]: !llvm.ptr)
// CHECK:       llvm.getelementptr %[[BUFFERS]][0]
// CHECK:       llvm.getelementptr %[[BUFFERS]][1]
// CHECK:       llvm.call @main

// -----

// CHECK-LABEL: llvm.func internal @main
// CHECK-NOT:   optimize_none
llvm.func @main(%a: !llvm.ptr) attributes {opbyop.work = 100 : i64} {
  llvm.return
}
