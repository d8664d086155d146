// stablehlo.async_start: starts an op whose result async_done waits for.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xi32>) {
  // CHECK: "stablehlo.async_start"(%arg0) ({
  %0 = "stablehlo.async_start"(%arg0) ({
  ^bb0(%a: tensor<2xi32>):
    %s = "stablehlo.slice"(%a) {start_indices = array<i64: 1>, limit_indices = array<i64: 2>, strides = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
    stablehlo.return %s : tensor<1xi32>
  }) : (tensor<2xi32>) -> !stablehlo.future<tensor<1xi32>>
  return
}

//--- refused.mlir
// (C2) Only collectives and slices may be asynchronous.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+2 {{expects a region of a collective or a slice, but got 'stablehlo.negate'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.async_start"(%arg0) ({
  ^bb0(%a: tensor<2xi32>):
    %s = stablehlo.negate %a : tensor<2xi32>
    stablehlo.return %s : tensor<2xi32>
  }) : (tensor<2xi32>) -> !stablehlo.future<tensor<2xi32>>
  return
}

// -----

// (C4) The future is of what the body returns.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+2 {{inferred type(s) '!stablehlo.future<tensor<1xi32>>' are incompatible with return type(s) of operation '!stablehlo.future<tensor<2xi32>>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.async_start"(%arg0) ({
  ^bb0(%a: tensor<2xi32>):
    %s = "stablehlo.slice"(%a) {start_indices = array<i64: 1>, limit_indices = array<i64: 2>, strides = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
    stablehlo.return %s : tensor<1xi32>
  }) : (tensor<2xi32>) -> !stablehlo.future<tensor<2xi32>>
  return
}

//--- meaning.mlir
// The result is that of the op in the body.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %f = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<2xi32>):
    %s = "stablehlo.slice"(%a) {start_indices = array<i64: 1>, limit_indices = array<i64: 2>, strides = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
    stablehlo.return %s : tensor<1xi32>
  }) : (tensor<2xi32>) -> !stablehlo.future<tensor<1xi32>>
  %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<1xi32>>) -> tensor<1xi32>
  check.expect_eq_const %r, dense<[2]> : tensor<1xi32>
  return
}
