// stablehlo.async_done: the result of an op that async_start started.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: !stablehlo.future<tensor<1xi32>>) {
  // CHECK: "stablehlo.async_done"(%arg0) : (!stablehlo.future<tensor<1xi32>>) -> tensor<1xi32>
  %0 = "stablehlo.async_done"(%arg0) : (!stablehlo.future<tensor<1xi32>>) -> tensor<1xi32>
  return
}

//--- refused.mlir
// (C1) It returns what the future is of.
func.func @refused(%arg0: !stablehlo.future<tensor<1xi32>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1xi32>' are incompatible with return type(s) of operation 'tensor<2xi32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.async_done"(%arg0) : (!stablehlo.future<tensor<1xi32>>) -> tensor<2xi32>
  return
}

// -----

// (I1) The operand must be a future.
func.func @refused(%arg0: tensor<1xi32>) {
  // expected-error @+1 {{operand #0 must be future, but got 'tensor<1xi32>'}}
  %0 = "stablehlo.async_done"(%arg0) : (tensor<1xi32>) -> tensor<1xi32>
  return
}

//--- meaning.mlir
// A collective between processes.
func.func @process(%x: tensor<2xi32>) -> tensor<4xi32> {
  %f = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<2xi32>):
    %s = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<4xi32>
    stablehlo.return %s : tensor<4xi32>
  }) : (tensor<2xi32>) -> !stablehlo.future<tensor<4xi32>>
  %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xi32>>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}
func.func @main() {
  %x0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %x1 = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %r:2 = "interpreter.run_parallel"(%x0, %x1) {programs = [[@process], [@process]]} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  check.expect_eq_const %r#0, dense<[1, 2, 3, 4]> : tensor<4xi32>
  check.expect_eq_const %r#1, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return
}
