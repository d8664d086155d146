// stablehlo.rng: random numbers of a distribution.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<f32>, %arg1: tensor<1xi64>) {
  // CHECK: stablehlo.rng %arg0, %arg0, %arg1, distribution =  NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  %0 = stablehlo.rng %arg0, %arg0, %arg1, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  // CHECK: stablehlo.rng %arg0, %arg0, %arg1, distribution =  UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  %1 = "stablehlo.rng"(%arg0, %arg0, %arg1) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  return
}

//--- refused.mlir
// (C1) Both parameters have one type.
func.func @refused(%arg0: tensor<f32>, %arg1: tensor<1xi64>, %arg2: tensor<f64>) {
  // expected-error @+2 {{expects 'a' and 'b' of one type, but got 'tensor<f32>' and 'tensor<f64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.rng %arg0, %arg2, %arg1, distribution = UNIFORM : (tensor<f32>, tensor<f64>, tensor<1xi64>) -> tensor<3xf32>
  return
}

// -----

// (C2) NORMAL requires floating-point numbers.
func.func @refused(%arg0: tensor<i32>, %arg1: tensor<1xi64>) {
  // expected-error @+2 {{expects floating-point operands for a NORMAL distribution, but got 'tensor<i32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.rng %arg0, %arg0, %arg1, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<3xi32>
  return
}

//--- meaning.mlir
// UNIFORM: numbers in [a, b), which ones is up to the implementation.
func.func @main() {
  %a = stablehlo.constant dense<-1.0> : tensor<f32>
  %b = stablehlo.constant dense<3.0> : tensor<f32>
  %shape = stablehlo.constant dense<[100]> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<100xf32>
  %low = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<100xf32>
  %high = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<100xf32>
  %reached = stablehlo.compare GE, %r, %low : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xi1>
  %below = stablehlo.compare LT, %r, %high : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xi1>
  check.expect_eq_const %reached, dense<true> : tensor<100xi1>
  check.expect_eq_const %below, dense<true> : tensor<100xi1>
  return
}

// -----

// b is excluded for integers too: only -3 is possible.
func.func @main() {
  %a = stablehlo.constant dense<-3> : tensor<i32>
  %b = stablehlo.constant dense<-2> : tensor<i32>
  %shape = stablehlo.constant dense<[5]> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<5xi32>
  %low = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i32>) -> tensor<5xi32>
  %high = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<i32>) -> tensor<5xi32>
  %reached = stablehlo.compare GE, %r, %low : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
  %below = stablehlo.compare LT, %r, %high : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
  check.expect_eq_const %reached, dense<true> : tensor<5xi1>
  check.expect_eq_const %below, dense<true> : tensor<5xi1>
  return
}

// -----

// NORMAL with zero deviation gives the mean.
func.func @main() {
  %a = stablehlo.constant dense<2.5> : tensor<f32>
  %b = stablehlo.constant dense<0.0> : tensor<f32>
  %shape = stablehlo.constant dense<[3]> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %shape, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[2.5, 2.5, 2.5]> : tensor<3xf32>
  return
}
