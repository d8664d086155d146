// stablehlo.sort: slices along a dimension in the order of a comparator.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3xf32>) {
  // CHECK: "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
  %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "stablehlo.sort"(%arg0) ({
  %1 = "stablehlo.sort"(%arg0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

//--- refused.mlir
// (C3) All inputs have one shape.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>) {
  // expected-error @+2 {{expects operands of compatible shapes, but got 'tensor<2xf32>', 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = "stablehlo.sort"(%arg0, %arg1) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<2xf32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<3xf32>)
  return
}

// -----

// (C4) The dimension is in [-R, R).
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{expects dimension to be in range [-1, 1), but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.sort"(%arg0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {dimension = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// (C5) The comparator takes two scalars per input.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{expects a comparator of 2 parameters, but it takes 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.sort"(%arg0) ({
  ^bb0(%a: tensor<f32>):
    %p = stablehlo.compare GT, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- meaning.mlir
// Each row by itself; -1 is the last dimension.
func.func @main() {
  %x = stablehlo.constant dense<[[3, 1, 2], [4, 6, 5]]> : tensor<2x3xi32>
  %r = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {dimension = -1 : i64} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  return
}

// -----

// Each column, from the greatest.
func.func @main() {
  %x = stablehlo.constant dense<[[3, 1, 2], [4, 6, 5]]> : tensor<2x3xi32>
  %r = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[4, 6, 5], [3, 1, 2]]> : tensor<2x3xi32>
  return
}

// -----

// TOTALORDER puts -0 before +0 and NaN last.
func.func @main() {
  %x = stablehlo.constant dense<[0x7FC00000, 0.0, 0xFF800000, -0.0, 1.0]> : tensor<5xf32>
  %r = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<5xf32>) -> tensor<5xf32>
  %expected = stablehlo.constant dense<[0xFF800000, -0.0, 0.0, 1.0, 0x7FC00000]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<5xf32>
  %inverse = stablehlo.divide %one, %r : tensor<5xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<5xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

// A stable sort keeps the order of equal keys; the other input follows the keys.
func.func @main() {
  %k = stablehlo.constant dense<[2, 1, 2, 1]> : tensor<4xi32>
  %v = stablehlo.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  %r:2 = "stablehlo.sort"(%k, %v) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {is_stable = true} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  check.expect_eq_const %r#0, dense<[1, 1, 2, 2]> : tensor<4xi32>
  check.expect_eq_const %r#1, dense<[20, 40, 10, 30]> : tensor<4xi32>
  return
}

// -----

// Empty slices.
func.func @main() {
  %x = stablehlo.constant dense<> : tensor<2x0xi32>
  %r = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<2x0xi32>) -> tensor<2x0xi32>
  check.expect_eq_const %r, dense<> : tensor<2x0xi32>
  return
}
