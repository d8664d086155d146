// chlo.constant_like: a tensor of the shape of operand filled with one number.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x?xf32>) {
  // CHECK: "chlo.constant_like"(%arg0) <{value = 1.500000e+00 : f32}> : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %0 = "chlo.constant_like"(%arg0) <{value = 1.500000e+00 : f32}> : (tensor<2x?xf32>) -> tensor<2x?xf32>
  return
}

//--- refused.mlir
// The value is an element of the result.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xi32>' are incompatible with return type(s) of operation 'tensor<2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "chlo.constant_like"(%arg0) {value = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- meaning.mlir
// The shape is that of operand, the type that of the value.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %r = "chlo.constant_like"(%x) {value = 7 : i32} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[7, 7], [7, 7]]> : tensor<2x2xi32>
  return
}
