// stablehlo.map: a function of scalars, applied to every element.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: "stablehlo.map"(%arg0, %arg0) <{dimensions = array<i64: 0>}> ({
  %0 = "stablehlo.map"(%arg0, %arg0) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C1) Inputs and result have one shape.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>) {
  // expected-error @+2 {{requires compatible shapes, but dimension 0 has the sizes 2 and 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.map"(%arg0, %arg1) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

// (C3) dimensions are all dimensions, in order.
func.func @refused(%arg0: tensor<2x2xf32>) {
  // expected-error @+2 {{expects dimensions to count up from 0, but got [1, 0]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.map"(%arg0, %arg0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 1, 0>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// (C4) The computation takes one scalar per input.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{expects a computation of 1 parameters, but it takes 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.map"(%arg0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- meaning.mlir
// a * b + 1 of every pair; the result may have elements of another type than the inputs.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<[[5, 6], [7, -8]]> : tensor<2x2xi32>
  %r = "stablehlo.map"(%x, %y) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %p = stablehlo.multiply %a, %b : tensor<i32>
    %s = stablehlo.add %p, %one : tensor<i32>
    %f = stablehlo.convert %s : (tensor<i32>) -> tensor<f32>
    stablehlo.return %f : tensor<f32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[6.0, 13.0], [22.0, -31.0]]> : tensor<2x2xf32>
  return
}
