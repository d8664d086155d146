// stablehlo.get_tuple_element: one of the values of a tuple.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tuple<tensor<2xf32>, tensor<i32>>) {
  // CHECK: stablehlo.get_tuple_element %arg0[1] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
  %0 = stablehlo.get_tuple_element %arg0[1] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
  // CHECK: stablehlo.get_tuple_element %arg0[0] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
  %1 = "stablehlo.get_tuple_element"(%arg0) {index = 0 : i32} : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C1) The tuple has such an element.
func.func @refused(%arg0: tuple<tensor<f32>>) {
  // expected-error @+2 {{expects index to be in range [0, 1), but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.get_tuple_element %arg0[1] : (tuple<tensor<f32>>) -> tensor<f32>
  return
}

// -----

// (C2) The result is of the type of the element.
func.func @refused(%arg0: tuple<tensor<f32>, tensor<i32>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<i32>' are incompatible with return type(s) of operation 'tensor<f32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.get_tuple_element %arg0[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<f32>
  return
}

//--- meaning.mlir
// Elements are numbered from zero.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<1.5> : tensor<f32>
  %t = stablehlo.tuple %x, %y : tuple<tensor<2xi32>, tensor<f32>>
  %r = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xi32>, tensor<f32>>) -> tensor<f32>
  check.expect_eq_const %r, dense<1.5> : tensor<f32>
  return
}
