// stablehlo.case: one of several computations, by number.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<i32>, %arg1: tensor<f32>) {
  // CHECK: "stablehlo.case"(%arg0) ({
  %0 = "stablehlo.case"(%arg0) ({
    stablehlo.return %arg1 : tensor<f32>
  }, {
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return
}

//--- refused.mlir
// (C1) There must be a branch.
func.func @refused(%arg0: tensor<i32>) {
  // expected-error @+2 {{expects at least one branch}}
  // expected-error @+1 {{failed to infer returned types}}
  "stablehlo.case"(%arg0) : (tensor<i32>) -> ()
  return
}

// -----

// (C3) All branches return the same types.
func.func @refused(%arg0: tensor<i32>, %arg1: tensor<f32>) {
  // expected-error @+2 {{has branches 0 and 1 that return different types, 'tensor<f32>' and nothing}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.case"(%arg0) ({
    stablehlo.return %arg1 : tensor<f32>
  }, {
    stablehlo.return
  }) : (tensor<i32>) -> tensor<f32>
  return
}

// -----

// (I1) The index must be an i32.
func.func @refused(%arg0: tensor<i64>, %arg1: tensor<f32>) {
  // expected-error @+1 {{operand #0 must be 0D tensor of 32-bit signless integer values, but got 'tensor<i64>'}}
  %0 = "stablehlo.case"(%arg0) ({
    stablehlo.return %arg1 : tensor<f32>
  }, {
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<i64>) -> tensor<f32>
  return
}

//--- meaning.mlir
// Branches are numbered from zero. An out-of-range index, even a negative one, selects the last branch.
func.func @main() {
  %x = stablehlo.constant dense<10> : tensor<i32>
  %y = stablehlo.constant dense<20> : tensor<i32>
  %z = stablehlo.constant dense<30> : tensor<i32>
  %i = stablehlo.constant dense<1> : tensor<i32>
  %over = stablehlo.constant dense<3> : tensor<i32>
  %under = stablehlo.constant dense<-1> : tensor<i32>
  %r = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<i32>
  }, {
    stablehlo.return %y : tensor<i32>
  }, {
    stablehlo.return %z : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  %s = "stablehlo.case"(%over) ({
    stablehlo.return %x : tensor<i32>
  }, {
    stablehlo.return %y : tensor<i32>
  }, {
    stablehlo.return %z : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  %t = "stablehlo.case"(%under) ({
    stablehlo.return %x : tensor<i32>
  }, {
    stablehlo.return %y : tensor<i32>
  }, {
    stablehlo.return %z : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %r, dense<20> : tensor<i32>
  check.expect_eq_const %s, dense<30> : tensor<i32>
  check.expect_eq_const %t, dense<30> : tensor<i32>
  return
}
