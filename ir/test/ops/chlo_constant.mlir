// chlo.constant: a tensor whose elements are known.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form() {
  // CHECK: chlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = chlo.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK: chlo.constant dense<1.500000e+00> : tensor<2xf32>
  %1 = "chlo.constant"() {value = dense<1.5> : tensor<2xf32>} : () -> tensor<2xf32>
  return
}

//--- refused.mlir
// The value is of the type of the result.
func.func @refused() {
  // expected-error @+1 {{failed to verify that all of {value, output} have same type}}
  %0 = "chlo.constant"() {value = dense<1> : tensor<2xi32>} : () -> tensor<3xi32>
  return
}

//--- meaning.mlir
// The elements in order.
func.func @main() {
  %r = chlo.constant dense<[1, -2]> : tensor<2xi32>
  check.expect_eq_const %r, dense<[1, -2]> : tensor<2xi32>
  return
}
