// stablehlo.infeed: the next item of the queue that the host fills.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: !stablehlo.token) {
  // CHECK{LITERAL}: "stablehlo.infeed"(%arg0) <{infeed_config = "config", layout = [[0]]}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  %0:2 = "stablehlo.infeed"(%arg0) <{infeed_config = "config", layout = [[0]]}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  return
}

//--- refused.mlir
// (C1) There must be a result.
func.func @refused(%arg0: !stablehlo.token) {
  // expected-error @+1 {{expects at least one result, a token}}
  "stablehlo.infeed"(%arg0) : (!stablehlo.token) -> ()
  return
}

// -----

// (C3) The last result must be a token.
func.func @refused(%arg0: !stablehlo.token) {
  // expected-error @+1 {{expects the last result to be a token, but got 'tensor<2xi32>'}}
  %0 = "stablehlo.infeed"(%arg0) : (!stablehlo.token) -> tensor<2xi32>
  return
}

// -----

// (C2) All other results must be tensors.
func.func @refused(%arg0: !stablehlo.token) {
  // expected-error @+1 {{expects all results but the last to be tensors, but got '!stablehlo.token'}}
  %0:2 = "stablehlo.infeed"(%arg0) : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

//--- meaning.mlir
// Items arrive in order.
func.func @first() -> tensor<2xi32> {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @second() -> tensor<2xi32> {
  %0 = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @process(%t: !stablehlo.token) -> (tensor<2xi32>, tensor<2xi32>) {
  %a:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  %b:2 = "stablehlo.infeed"(%a#1) : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  return %a#0, %b#0 : tensor<2xi32>, tensor<2xi32>
}
func.func @main() {
  %t = stablehlo.after_all : !stablehlo.token
  %r:2 = "interpreter.run_parallel"(%t) {infeed = [@first, @second], programs = [[@process]]} : (!stablehlo.token) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %r#0, dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %r#1, dense<[3, 4]> : tensor<2xi32>
  return
}
