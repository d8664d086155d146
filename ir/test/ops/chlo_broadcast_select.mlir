// chlo.broadcast_select: select of tensors that are broadcast to one shape.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<3xi1>, %arg1: tensor<2x3xf32>, %arg2: tensor<f32>) {
  // CHECK: chlo.broadcast_select %arg0, %arg1, %arg2 : (tensor<3xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %0 = chlo.broadcast_select %arg0, %arg1, %arg2 : (tensor<3xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  // CHECK: chlo.broadcast_select %arg0, %arg1, %arg1 : (tensor<3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "chlo.broadcast_select"(%arg0, %arg1, %arg1) : (tensor<3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

//--- refused.mlir
// Sizes are equal or 1.
func.func @refused(%arg0: tensor<3xi1>, %arg1: tensor<2xf32>) {
  // expected-error @+2 {{cannot broadcast sizes 2 and 3 of result dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.broadcast_select %arg0, %arg1, %arg1 : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// Both alternatives have one element type.
func.func @refused(%arg0: tensor<2xi1>, %arg1: tensor<2xf32>, %arg2: tensor<2xi32>) {
  // expected-error @+2 {{expects operands of the same element type, but got 'tensor<2xf32>', 'tensor<2xi32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.broadcast_select %arg0, %arg1, %arg2 : (tensor<2xi1>, tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

//--- meaning.mlir
// A predicate per column, a matrix and a scalar.
func.func @main() {
  %p = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<0> : tensor<i32>
  %r = chlo.broadcast_select %p, %x, %y : (tensor<3xi1>, tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[1, 0, 3], [4, 0, 6]]> : tensor<2x3xi32>
  return
}
