// RUN: opbyop-opt %s --split-input-file --pass-pipeline='builtin.module(llvm.func(opbyop-move-bits))' | FileCheck %s

// A float that is only moved is an integer from load to store, in a loop too.

// CHECK-LABEL: llvm.func @fill(
// CHECK:         %[[VALUE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK:         llvm.store %[[VALUE]], %{{.*}} : i16, !llvm.ptr
// CHECK-NOT:     bf16
llvm.func @fill(%from: !llvm.ptr, %to: !llvm.ptr, %again: i1) {
  %value = llvm.load %from : !llvm.ptr -> bf16
  llvm.br ^loop
^loop:
  llvm.store %value, %to : bf16, !llvm.ptr
  llvm.cond_br %again, ^loop, ^end
^end:
  llvm.return
}

// -----

// Selections, constants and the arguments of blocks too.

// CHECK-LABEL: llvm.func @choose(
// CHECK:         %[[ONE:.*]] = llvm.mlir.constant(15360 : i16) : i16
// CHECK:         %[[VALUE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK:         %[[CHOSEN:.*]] = llvm.select %{{.*}}, %[[VALUE]], %[[ONE]] : i1, i16
// CHECK:         llvm.br ^[[END:.*]](%[[CHOSEN]] : i16)
// CHECK:       ^[[END]](%[[LAST:.*]]: i16):
// CHECK:         llvm.store %[[LAST]], %{{.*}} : i16, !llvm.ptr
// CHECK-NOT:     f16
llvm.func @choose(%from: !llvm.ptr, %to: !llvm.ptr, %first: i1) {
  %one = llvm.mlir.constant(1.0 : f16) : f16
  %value = llvm.load %from : !llvm.ptr -> f16
  %chosen = llvm.select %first, %value, %one : i1, f16
  llvm.br ^end(%chosen : f16)
^end(%last: f16):
  llvm.store %last, %to : f16, !llvm.ptr
  llvm.return
}

// -----

// Arithmetic takes floats, and what it gives is stored as an integer.

// CHECK-LABEL: llvm.func @compute(
// CHECK:         %[[BITS:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK:         %[[VALUE:.*]] = llvm.bitcast %[[BITS]] : i16 to bf16
// CHECK:         llvm.fpext %[[VALUE]] : bf16 to f32
// CHECK:         %[[SHORT:.*]] = llvm.fptrunc %{{.*}} : f32 to bf16
// CHECK:         %[[STORED:.*]] = llvm.bitcast %[[SHORT]] : bf16 to i16
// CHECK:         llvm.store %[[STORED]], %{{.*}} : i16, !llvm.ptr
llvm.func @compute(%from: !llvm.ptr, %to: !llvm.ptr) {
  %value = llvm.load %from : !llvm.ptr -> bf16
  %wide = llvm.fpext %value : bf16 to f32
  %twice = llvm.fadd %wide, %wide : f32
  %short = llvm.fptrunc %twice : f32 to bf16
  llvm.store %short, %to : bf16, !llvm.ptr
  llvm.return
}

// -----

// Casts to the bits and back are not needed.

// CHECK-LABEL: llvm.func @bits(
// CHECK:         %[[BITS:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK-NEXT:    %[[SUM:.*]] = llvm.add %[[BITS]], %[[BITS]] : i16
// CHECK-NOT:     llvm.load
// CHECK:         llvm.store %[[SUM]], %{{.*}} : i16, !llvm.ptr
llvm.func @bits(%from: !llvm.ptr, %to: !llvm.ptr) {
  %value = llvm.load %from : !llvm.ptr -> bf16
  %bits = llvm.bitcast %value : bf16 to i16
  %sum = llvm.add %bits, %bits : i16
  %float = llvm.bitcast %sum : i16 to bf16
  llvm.store %float, %to : bf16, !llvm.ptr
  llvm.return
}

// -----

// The bits of a computed bf16 come from its f32 if they are not just stored.

// CHECK-LABEL: llvm.func @sign(
// CHECK:         %[[SHORT:.*]] = llvm.sitofp %{{.*}} : i32 to bf16
// CHECK:         %[[WIDE:.*]] = llvm.fpext %[[SHORT]] : bf16 to f32
// CHECK:         %[[BITS:.*]] = llvm.bitcast %[[WIDE]] : f32 to i32
// CHECK:         %[[HIGH:.*]] = llvm.lshr %[[BITS]], %{{.*}} : i32
// CHECK:         %[[SHORT_BITS:.*]] = llvm.trunc %[[HIGH]] : i32 to i16
// CHECK:         llvm.ashr %[[SHORT_BITS]], %{{.*}} : i16
llvm.func @sign(%number: i32, %to: !llvm.ptr) {
  %fifteen = llvm.mlir.constant(15 : i16) : i16
  %short = llvm.sitofp %number : i32 to bf16
  %bits = llvm.bitcast %short : bf16 to i16
  %sign = llvm.ashr %bits, %fifteen : i16
  llvm.store %sign, %to : i16, !llvm.ptr
  llvm.return
}
