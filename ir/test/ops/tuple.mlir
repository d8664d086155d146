// stablehlo.tuple: several values as one.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>, %arg1: tensor<i32>) {
  // CHECK: stablehlo.tuple %arg0, %arg1 : tuple<tensor<2xf32>, tensor<i32>>
  %0 = stablehlo.tuple %arg0, %arg1 : tuple<tensor<2xf32>, tensor<i32>>
  // CHECK: stablehlo.tuple %arg0 : tuple<tensor<2xf32>>
  %1 = "stablehlo.tuple"(%arg0) : (tensor<2xf32>) -> tuple<tensor<2xf32>>
  return
}

//--- refused.mlir
// (C1) The tuple is of the types of the values.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tuple<tensor<2xf32>, tensor<2xf32>>' are incompatible with return type(s) of operation 'tuple<tensor<2xf32>>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.tuple"(%arg0, %arg0) : (tensor<2xf32>, tensor<2xf32>) -> tuple<tensor<2xf32>>
  return
}

//--- meaning.mlir
// Tuples may hold tuples.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<1.5> : tensor<f32>
  %inner = stablehlo.tuple %x, %y : tuple<tensor<2xi32>, tensor<f32>>
  %outer = stablehlo.tuple %y, %inner : tuple<tensor<f32>, tuple<tensor<2xi32>, tensor<f32>>>
  %t = stablehlo.get_tuple_element %outer[1] : (tuple<tensor<f32>, tuple<tensor<2xi32>, tensor<f32>>>) -> tuple<tensor<2xi32>, tensor<f32>>
  %r = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2xi32>, tensor<f32>>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[1, 2]> : tensor<2xi32>
  return
}
