// stablehlo.outfeed: hands tensors to the host.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xi32>, %arg1: !stablehlo.token) {
  // CHECK: "stablehlo.outfeed"(%arg0, %arg1) <{outfeed_config = "config"}> : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  %0 = "stablehlo.outfeed"(%arg0, %arg1) <{outfeed_config = "config"}> : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  return
}

//--- refused.mlir
// (I2) The last operand must be a token.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be token, but got 'tensor<2xi32>'}}
  %0 = "stablehlo.outfeed"(%arg0) : (tensor<2xi32>) -> !stablehlo.token
  return
}

//--- meaning.mlir
// Only a token is returned: this shows that the op runs.
func.func @main() {
  %t = stablehlo.after_all : !stablehlo.token
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %u = "stablehlo.outfeed"(%x, %t) : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  %r:2 = stablehlo.optimization_barrier %x, %u : tensor<2xi32>, !stablehlo.token
  check.expect_eq_const %r#0, dense<[1, 2]> : tensor<2xi32>
  return
}
