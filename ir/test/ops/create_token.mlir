// stablehlo.create_token: the deprecated after_all without operands.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form() {
  // CHECK: stablehlo.create_token : !stablehlo.token
  %0 = stablehlo.create_token : !stablehlo.token
  // CHECK: stablehlo.create_token : !stablehlo.token
  %1 = "stablehlo.create_token"() : () -> !stablehlo.token
  return
}

//--- refused.mlir
// It takes no operands.
func.func @refused(%arg0: !stablehlo.token) {
  // expected-error @+1 {{requires zero operands}}
  %0 = "stablehlo.create_token"(%arg0) : (!stablehlo.token) -> !stablehlo.token
  return
}

//--- meaning.mlir
// A token that orders what follows.
func.func @main() {
  %t = stablehlo.create_token : !stablehlo.token
  %u = stablehlo.after_all %t : !stablehlo.token
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %r:2 = stablehlo.optimization_barrier %x, %u : tensor<2xi32>, !stablehlo.token
  check.expect_eq_const %r#0, dense<[1, 2]> : tensor<2xi32>
  return
}
