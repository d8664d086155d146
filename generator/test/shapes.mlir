// Dynamic shapes are kept, or made static for the requested shapes as far as they can be derived.
// RUN: rm -rf %t && opbyop split %s -q -o %t/kept && cat %t/kept/cases/*.mlir | FileCheck %s --check-prefix=KEPT
// RUN: opbyop split %s --shape x=4x3xf32 -q -o %t/static | FileCheck %s --check-prefix=SAID
// RUN: cat %t/static/cases/*.mlir | FileCheck %s
// RUN: opbyop split %s --shape 0=4x3 -q -o %t/static && cat %t/static/cases/*.mlir | FileCheck %s
// RUN: not opbyop split %s --shape z=4 -o %t/no 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not opbyop split %s --shape x=4x5 -o %t/no 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not opbyop split %s --shape x -o %t/no 2>&1 | FileCheck %s --check-prefix=FORM

func.func @main(%x: tensor<?x3xf32> loc("x"), %y: tensor<?xf32> {jax.arg_info = "y"}) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %0 = call @flat(%n, %x) : (tensor<i32>, tensor<?x3xf32>) -> tensor<?xf32>
  %1 = stablehlo.abs %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @flat(%n: tensor<i32>, %x: tensor<?x3xf32>) -> tensor<?xf32> {
  %three = stablehlo.constant dense<3> : tensor<i32>
  %size = stablehlo.multiply %n, %three : tensor<i32>
  %shape = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>
  %1 = stablehlo.tanh %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// KEPT: // case: abs_d_f32
// KEPT: // case: dynamic_reshape_dx3_1_f32
// KEPT: // case: get_dimension_size
// KEPT: // case: multiply
// KEPT: // case: tanh_d_f32

// SAID: 1 of 3 ops stay dynamic: stablehlo.abs 1

// CHECK: // case: abs_d_f32
// CHECK-NEXT: // origin
// CHECK: stablehlo.abs %arg0 : tensor<?xf32>
// CHECK: // case: reshape_4x3_f32
// CHECK: stablehlo.reshape %arg0 : (tensor<4x3xf32>) -> tensor<12xf32>
// CHECK: // case: tanh_12_f32
// CHECK-NOT: // case:

// NAME: no argument is called z; @main has x: tensor<?x3xf32>, y: tensor<?xf32>
// RANK: argument x is tensor<?x3xf32> and cannot be 4x5
// FORM: --shape x: expected ARGUMENT=SHAPE
