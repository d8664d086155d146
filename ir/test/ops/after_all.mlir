// stablehlo.after_all: a token that orders what follows after all of its operands.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: !stablehlo.token) {
  // CHECK: stablehlo.after_all %arg0, %arg0 : !stablehlo.token
  %0 = stablehlo.after_all %arg0, %arg0 : !stablehlo.token
  // CHECK: stablehlo.after_all  : !stablehlo.token
  %1 = "stablehlo.after_all"() : () -> !stablehlo.token
  return
}

//--- refused.mlir
// (I1) Operands must be tokens.
func.func @refused(%arg0: tensor<f32>) {
  // expected-error @+1 {{operand #0 must be variadic of token, but got 'tensor<f32>'}}
  %0 = "stablehlo.after_all"(%arg0) : (tensor<f32>) -> !stablehlo.token
  return
}

//--- meaning.mlir
// Without operands it creates a token.
func.func @main() {
  %t = stablehlo.after_all : !stablehlo.token
  %u = stablehlo.after_all %t, %t : !stablehlo.token
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %r:2 = stablehlo.optimization_barrier %x, %u : tensor<2xi32>, !stablehlo.token
  check.expect_eq_const %r#0, dense<[1, 2]> : tensor<2xi32>
  return
}
