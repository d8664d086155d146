// A loop is one op with its captured values as arguments, and the ops in its regions are also cases, with loop-carried and
// captured values as arguments, unless it is to be whole.
// RUN: rm -rf %t && opbyop split %s --regions=whole -q -o %t/whole && cat %t/whole/cases/*.mlir | FileCheck %s --check-prefix=WHOLE
// RUN: opbyop split %s -q -o %t/inside && cat %t/inside/cases/*.mlir | FileCheck %s
// RUN: cat %t/inside/manifest.yaml | FileCheck %s --check-prefix=ORIGIN

func.func @main(%n: tensor<i32>, %limit: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %c = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %i2 = stablehlo.add %i, %one : tensor<i32>
    %v2 = func.call @step(%v) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %i2, %v2 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
func.func private @step(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// WHOLE-NOT: // case: {{add|compare|tanh}}
// WHOLE: // case: while_
// WHOLE: func.func @main(%arg0: tensor<i32>, %arg1: tensor<4xf32>, %arg2: tensor<i32>) -> (tensor<i32>, tensor<4xf32>)
// WHOLE: stablehlo.while
// WHOLE: func.func private @callee_0
// WHOLE-NOT: // case:

// CHECK: // case: add_scalar_i32
// CHECK: inside while.body
// CHECK: func.func @main(%arg0: tensor<i32>) -> tensor<i32>
// CHECK-NEXT: stablehlo.constant dense<1>
// CHECK-NEXT: stablehlo.add %arg0,
// CHECK: // case: compare_scalar_i32_i1
// CHECK: inside while.cond
// CHECK: func.func @main(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i1>
// CHECK: // case: tanh_4_f32
// CHECK: inside while.body
// CHECK: // case: while_

// ORIGIN: "op":"stablehlo.add"
// ORIGIN-SAME: "count":1
// ORIGIN-SAME: "regions":["while.body"]
// ORIGIN-SAME: "trips":0
// ORIGIN: "op":"stablehlo.while"
// ORIGIN-NOT: "regions"
