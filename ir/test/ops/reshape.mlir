// stablehlo.reshape: the same elements in the same order, in another shape.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3xf32>) {
  // CHECK: stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<6x1xf32>
  %0 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<6x1xf32>
  // CHECK: stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = "stablehlo.reshape"(%arg0) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

//--- refused.mlir
// (C2) The number of elements is kept.
func.func @refused(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{expects as many result elements as operand elements, 3, but got 4}}
  %0 = stablehlo.reshape %arg0 : (tensor<3xf32>) -> tensor<2x2xf32>
  return
}

// -----

// (C1) The element type is kept.
func.func @refused(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{expects operand and result of the same element type, but got 'tensor<3xf32>' and 'tensor<3xi32>'}}
  %0 = stablehlo.reshape %arg0 : (tensor<3xf32>) -> tensor<3xi32>
  return
}

// -----

// (C2) The result is of a static shape.
func.func @refused(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped or have one bounded dimension, but got 'tensor<?xf32>'}}
  %0 = stablehlo.reshape %arg0 : (tensor<3xf32>) -> tensor<?xf32>
  return
}

//--- meaning.mlir
// The last dimension varies fastest.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r = stablehlo.reshape %x : (tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  return
}

// -----

// One element is a scalar.
func.func @main() {
  %x = stablehlo.constant dense<[[7]]> : tensor<1x1xi32>
  %r = stablehlo.reshape %x : (tensor<1x1xi32>) -> tensor<i32>
  check.expect_eq_const %r, dense<7> : tensor<i32>
  return
}

// -----

// An empty tensor takes any empty shape.
func.func @main() {
  %x = stablehlo.constant dense<> : tensor<0x3xi32>
  %r = stablehlo.reshape %x : (tensor<0x3xi32>) -> tensor<5x0xi32>
  check.expect_eq_const %r, dense<> : tensor<5x0xi32>
  return
}
