// stablehlo.composite: a named op that stands for a function of others.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: stablehlo.composite "my.twice" %arg0 {composite_attributes = {n = 2 : i64}, decomposition = @twice, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  %0 = stablehlo.composite "my.twice" %arg0 {composite_attributes = {n = 2 : i64}, decomposition = @twice, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: stablehlo.composite "my.twice" %arg0 {decomposition = @twice} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "stablehlo.composite"(%arg0) {name = "my.twice", decomposition = @twice} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C1) The name has a namespace.
func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{expects a name of the form 'namespace.op', but got 'twice'}}
  %0 = stablehlo.composite "twice" %arg0 {decomposition = @twice} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// (C2) The decomposition is a function of the module.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{'missing' does not reference a valid function}}
  %0 = stablehlo.composite "my.twice" %arg0 {decomposition = @missing} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// (C3) Inputs are those that the decomposition takes.
func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @refused(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{has the type '(tensor<3xf32>) -> tensor<2xf32>', but its decomposition 'twice' has the type '(tensor<2xf32>) -> tensor<2xf32>'}}
  %0 = stablehlo.composite "my.twice" %arg0 {decomposition = @twice} : (tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

// (C4) Results are those that the decomposition returns.
func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{has the type '(tensor<2xf32>) -> tensor<3xf32>', but its decomposition 'twice' has the type '(tensor<2xf32>) -> tensor<2xf32>'}}
  %0 = stablehlo.composite "my.twice" %arg0 {decomposition = @twice} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

//--- meaning.mlir
// The result is that of the decomposition.
func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main() {
  %x = stablehlo.constant dense<[1.5, -2.0]> : tensor<2xf32>
  %r = stablehlo.composite "my.twice" %x {decomposition = @twice} : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<[3.0, -4.0]> : tensor<2xf32>
  return
}
