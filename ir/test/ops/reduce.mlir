// stablehlo.reduce: all elements along some dimensions combined into one.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) {
  // CHECK: stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %1 = "stablehlo.reduce"(%arg0, %arg1) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.reduce(%arg0 init: %arg1), (%arg0 init: %arg1) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  %2:2 = stablehlo.reduce(%arg0 init: %arg1), (%arg0 init: %arg1) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<f32>, %d: tensor<f32>) {
    %s = stablehlo.add %a, %c : tensor<f32>
    stablehlo.return %s, %b : tensor<f32>, tensor<f32>
  }
  return
}

//--- refused.mlir
// (C2) Initial values are elements of the inputs.
func.func @refused(%arg0: tensor<4x8xf32>, %arg1: tensor<i32>) {
  // expected-error @+2 {{expects initial value 0 of the input's element type 'f32', but got 'i32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

// (C4) Dimensions are those of the inputs.
func.func @refused(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) {
  // expected-error @+2 {{expects each of dimensions to be in range [0, 2), but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 2>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// (C5) dimensions must be unique.
func.func @refused(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) {
  // expected-error @+2 {{expects dimensions to be unique, but got [1, 1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 1, 1>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// (C6) The body takes two scalars per input.
func.func @refused(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) {
  // expected-error @+2 {{expects the region to take 2 parameters, but it takes 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

//--- meaning.mlir
// Rows are summed, from the initial value.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %init = stablehlo.constant dense<10> : tensor<i32>
  %r = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[16, 25]> : tensor<2xi32>
  return
}

// -----

// Several dimensions at once.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, -2.0], [3.0, 0.5]]> : tensor<2x2xf32>
  %init = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r = stablehlo.reduce(%x init: %init) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %r, dense<3.0> : tensor<f32>
  return
}

// -----

// An empty dimension reduces to the initial value.
func.func @main() {
  %x = stablehlo.constant dense<> : tensor<0x2xf32>
  %init = stablehlo.constant dense<7.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [0] : (tensor<0x2xf32>, tensor<f32>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<[7.0, 7.0]> : tensor<2xf32>
  return
}

// -----

// No dimension: each element with the initial value.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %init = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.reduce(%x init: %init) applies stablehlo.multiply across dimensions = [] : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[1, 2]> : tensor<2xi32>
  return
}

// -----

// NaN is not skipped.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 0x7FC00000, 2.0]> : tensor<3xf32>
  %init = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r = stablehlo.reduce(%x init: %init) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %expected = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<f32>, tensor<f32>
  return
}

// -----

// Booleans: whether all are true.
func.func @main() {
  %x = stablehlo.constant dense<[[true, true], [true, false]]> : tensor<2x2xi1>
  %init = stablehlo.constant dense<true> : tensor<i1>
  %r = stablehlo.reduce(%x init: %init) applies stablehlo.and across dimensions = [1] : (tensor<2x2xi1>, tensor<i1>) -> tensor<2xi1>
  check.expect_eq_const %r, dense<[true, false]> : tensor<2xi1>
  return
}

// -----

// Two inputs together: the greatest element and where it is.
func.func @main() {
  %x = stablehlo.constant dense<[3, 9, 4]> : tensor<3xi32>
  %i = stablehlo.iota dim = 0 : tensor<3xi32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %least), (%i init: %zero) across dimensions = [0] : (tensor<3xi32>, tensor<3xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
   reducer(%a: tensor<i32>, %c: tensor<i32>) (%b: tensor<i32>, %d: tensor<i32>) {
    %p = stablehlo.compare GE, %a, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v = stablehlo.select %p, %a, %c : tensor<i1>, tensor<i32>
    %w = stablehlo.select %p, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %r#0, dense<9> : tensor<i32>
  check.expect_eq_const %r#1, dense<1> : tensor<i32>
  return
}

// -----

// The body may compute in a wider type: 100 + 100 exceeds i8.
func.func @main() {
  %x = stablehlo.constant dense<[100, 100]> : tensor<2xi8>
  %init = stablehlo.constant dense<0> : tensor<i8>
  %r = "stablehlo.reduce"(%x, %init) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<2xi8>, tensor<i8>) -> tensor<i32>
  check.expect_eq_const %r, dense<200> : tensor<i32>
  return
}
