// A pair is an op with the op that its first operand comes from. Its file is a program of both, and splitting it again
// gives the two.
// RUN: rm -rf %t && opbyop split %s --granularity window:2 -o %t/pairs | FileCheck %s --check-prefix=SAID
// RUN: cat %t/pairs/cases/window_*.mlir | FileCheck %s
// RUN: cat %t/pairs/manifest.yaml | FileCheck %s --check-prefix=MANIFEST
// RUN: opbyop split %t/pairs/cases/window_multiply_add*.mlir -o %t/again | FileCheck %s --check-prefix=AGAIN
// RUN: opbyop split %s --granularity model -q -o %t/model && cat %t/model/cases/model_*.mlir | FileCheck %s --check-prefix=MODEL
// RUN: not opbyop split %s --granularity window -o %t/no 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not opbyop split %s --granularity model --after parse -o %t/no 2>&1 | FileCheck %s --check-prefix=AFTER

func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %two : tensor<4xf32>
  %1 = call @sum(%0, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @sum(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// SAID: 1 model, 2 ops, 3 cases (1 window)

// CHECK: // case: window_multiply_add_4_f32_
// CHECK-NOT: opbyop.case
// CHECK: func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: stablehlo.constant dense<2.0
// CHECK-NEXT: [[P:%.*]] = stablehlo.multiply %arg0, %cst
// CHECK-NEXT: [[S:%.*]] = stablehlo.add [[P]], %arg1
// CHECK-NEXT: return [[S]]

// MANIFEST: granularity: "window:2"
// MANIFEST: "op":"window","target":"multiply.add"
// MANIFEST-SAME: "members":["add_4_f32_{{[0-9a-f]*}}","multiply_4_f32_{{[0-9a-f]*}}"]

// AGAIN: 1 model, 2 ops, 2 cases in

// MODEL: func.func @main
// MODEL: func.func private @sum

// FORM: --granularity: granularity 'window' is not one of op, window:K
// AFTER: --granularity model: a model runs through all stages; leave --after out
