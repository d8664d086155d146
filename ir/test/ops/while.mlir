// stablehlo.while: repeats a body as long as a condition holds.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<i32>, %arg1: tensor<4xf32>) {
  // CHECK: stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<i32>, tensor<4xf32> attributes {key = "value"}
  %0:2 = stablehlo.while(%i = %arg0, %x = %arg1) : tensor<i32>, tensor<4xf32> attributes {key = "value"}
   cond {
    %p = stablehlo.compare LT, %i, %arg0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %i, %x : tensor<i32>, tensor<4xf32>
  }
  // CHECK: stablehlo.while(%iterArg = %arg0) : tensor<i32>
  %1 = "stablehlo.while"(%arg0) ({
  ^bb0(%i: tensor<i32>):
    %p = stablehlo.compare LT, %i, %arg0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>):
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

//--- refused.mlir
// (C1) The condition returns one boolean.
func.func @refused(%arg0: tensor<i32>) {
  // expected-error @+1 {{expects the condition to return one 'tensor<i1>', but it returns 'tensor<i32>'}}
  %0 = stablehlo.while(%i = %arg0) : tensor<i32> cond {
    stablehlo.return %i : tensor<i32>
  } do {
    stablehlo.return %i : tensor<i32>
  }
  return
}

// -----

// (C2) The body returns what it takes.
func.func @refused(%arg0: tensor<i32>, %arg1: tensor<i1>) {
  // expected-error @+1 {{expects the body to return the operands' types, but got 'tensor<i1>' and 'tensor<i32>'}}
  %0 = stablehlo.while(%i = %arg0) : tensor<i32> cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    stablehlo.return %arg1 : tensor<i1>
  }
  return
}

//--- meaning.mlir
// Ten iterations: the sum of 0 to 9.
func.func @main() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %sum = %zero) : tensor<i32>, tensor<i32>
   cond {
    %p = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.add %sum, %i : tensor<i32>
    stablehlo.return %next, %s : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %r#0, dense<10> : tensor<i32>
  check.expect_eq_const %r#1, dense<45> : tensor<i32>
  return
}

// -----

// The condition is checked first: without an iteration the operands are returned.
func.func @main() {
  %x = stablehlo.constant dense<7> : tensor<i32>
  %f = stablehlo.constant dense<false> : tensor<i1>
  %r = stablehlo.while(%i = %x) : tensor<i32>
   cond {
    stablehlo.return %f : tensor<i1>
  } do {
    %s = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }
  check.expect_eq_const %r, dense<7> : tensor<i32>
  return
}
