// stablehlo.return: ends a region of an op and names its results.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<i1>, %arg1: tensor<f32>) {
  %0 = "stablehlo.if"(%arg0) ({
    // CHECK: stablehlo.return %arg1 : tensor<f32>
    stablehlo.return %arg1 : tensor<f32>
  }, {
    // CHECK: stablehlo.return %arg1 : tensor<f32>
    "stablehlo.return"(%arg1) : (tensor<f32>) -> ()
  }) : (tensor<i1>) -> tensor<f32>
  "stablehlo.if"(%arg0) ({
    // CHECK: stablehlo.return 
    stablehlo.return
  }, {
    // CHECK: stablehlo.return 
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
}

//--- refused.mlir
// It must be the last op of its region.
func.func @refused(%arg0: tensor<i1>, %arg1: tensor<f32>) {
  %0 = "stablehlo.if"(%arg0) ({
    // expected-error @+1 {{must be the last operation in the parent block}}
    stablehlo.return %arg1 : tensor<f32>
    %1 = stablehlo.negate %arg1 : tensor<f32>
  }, {
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

// Types are those of the operands.
// expected-note @+1 {{prior use here}}
func.func @refused(%arg0: tensor<i1>, %arg1: tensor<f32>) {
  %0 = "stablehlo.if"(%arg0) ({
    // expected-error @+1 {{use of value '%arg1' expects different type than prior uses: 'tensor<f64>' vs 'tensor<f32>'}}
    stablehlo.return %arg1 : tensor<f64>
  }, {
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

//--- meaning.mlir
// Results in order: a swap.
func.func @main() {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %x = stablehlo.constant dense<1> : tensor<i32>
  %y = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = "stablehlo.if"(%t) ({
    stablehlo.return %y, %x : tensor<i32>, tensor<i32>
  }, {
    stablehlo.return %x, %y : tensor<i32>, tensor<i32>
  }) : (tensor<i1>) -> (tensor<i32>, tensor<i32>)
  check.expect_eq_const %r#0, dense<2> : tensor<i32>
  check.expect_eq_const %r#1, dense<1> : tensor<i32>
  return
}
