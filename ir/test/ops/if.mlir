// stablehlo.if: one of two computations.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<i1>, %arg1: tensor<f32>) {
  // CHECK: "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
    stablehlo.return %arg1 : tensor<f32>
  }, {
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

//--- refused.mlir
// (C2) Both branches return the same types.
func.func @refused(%arg0: tensor<i1>, %arg1: tensor<f32>) {
  // expected-error @+2 {{has branches 0 and 1 that return different types, 'tensor<f32>' and nothing}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.if"(%arg0) ({
    stablehlo.return %arg1 : tensor<f32>
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

// (C1) Branches take no arguments: they see what is around them.
func.func @refused(%arg0: tensor<i1>, %arg1: tensor<f32>) {
  // expected-error @+2 {{expects branch 0 to take no arguments, but it takes 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.if"(%arg0) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

// (I1) pred must be a scalar.
func.func @refused(%arg0: tensor<2xi1>, %arg1: tensor<f32>) {
  // expected-error @+1 {{operand #0 must be 0D tensor of bool, but got 'tensor<2xi1>'}}
  %0 = "stablehlo.if"(%arg0) ({
    stablehlo.return %arg1 : tensor<f32>
  }, {
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<2xi1>) -> tensor<f32>
  return
}

//--- meaning.mlir
// Runs the first branch if pred is true, the second if it is false.
func.func @main() {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %f = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<1.5> : tensor<f32>
  %y = stablehlo.constant dense<2.5> : tensor<f32>
  %r = "stablehlo.if"(%t) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %y : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  %s = "stablehlo.if"(%f) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %y : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  check.expect_eq_const %r, dense<1.5> : tensor<f32>
  check.expect_eq_const %s, dense<2.5> : tensor<f32>
  return
}

// -----

// Only the selected branch runs: the other one would not terminate.
func.func @main() {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %x = stablehlo.constant dense<3> : tensor<i32>
  %r = "stablehlo.if"(%t) ({
    stablehlo.return %x : tensor<i32>
  }, {
    %forever = stablehlo.while(%i = %x) : tensor<i32>
     cond {
      stablehlo.return %t : tensor<i1>
    } do {
      stablehlo.return %i : tensor<i32>
    }
    stablehlo.return %forever : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  check.expect_eq_const %r, dense<3> : tensor<i32>
  return
}
