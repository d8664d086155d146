// stablehlo.pad: operand with elements added around it and between its own.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) {
  // CHECK: stablehlo.pad %arg0, %arg1, low = [0, 1], high = [2, -1], interior = [1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x3xf32>
  %0 = stablehlo.pad %arg0, %arg1, low = [0, 1], high = [2, -1], interior = [1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x3xf32>
  // CHECK: stablehlo.pad %arg0, %arg1, low = [0, 1], high = [2, -1], interior = [1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x3xf32>
  %1 = "stablehlo.pad"(%arg0, %arg1) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, -1>, interior_padding = array<i64: 1, 0>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x3xf32>
  return
}

//--- refused.mlir
// (C1) The padding value is an element of operand's type.
func.func @refused(%arg0: tensor<3xf32>, %arg1: tensor<i32>) {
  // expected-error @+1 {{requires the same element type for all operands, but 'tensor<3xf32>' and 'tensor<i32>' differ}}
  %0 = stablehlo.pad %arg0, %arg1, low = [0], high = [0], interior = [0] : (tensor<3xf32>, tensor<i32>) -> tensor<3xf32>
  return
}

// -----

// (C3) Interior padding is not negative.
func.func @refused(%arg0: tensor<3xf32>, %arg1: tensor<f32>) {
  // expected-error @+2 {{expects non-negative interior_padding, but got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.pad %arg0, %arg1, low = [0], high = [0], interior = [-1] : (tensor<3xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

// (C4) The result is of the padded shape.
func.func @refused(%arg0: tensor<3xf32>, %arg1: tensor<f32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<7xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.pad %arg0, %arg1, low = [1], high = [1], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

//--- meaning.mlir
// One before, two after, one between.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %p = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.pad %x, %p, low = [1], high = [2], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<8xi32>
  check.expect_eq_const %r, dense<[0, 1, 0, 2, 0, 3, 0, 0]> : tensor<8xi32>
  return
}

// -----

// Negative padding removes, after the interior padding was added.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %p = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.pad %x, %p, low = [-1], high = [-2], interior = [2] : (tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %r, dense<[0, 0, 2, 0]> : tensor<4xi32>
  return
}

// -----

// Rows and columns.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %p = stablehlo.constant dense<9> : tensor<i32>
  %r = stablehlo.pad %x, %p, low = [0, 1], high = [1, 0], interior = [0, 0] : (tensor<2x2xi32>, tensor<i32>) -> tensor<3x3xi32>
  check.expect_eq_const %r, dense<[[9, 1, 2], [9, 3, 4], [9, 9, 9]]> : tensor<3x3xi32>
  return
}

// -----

// An empty operand has no interior padding.
func.func @main() {
  %x = stablehlo.constant dense<> : tensor<0xi32>
  %p = stablehlo.constant dense<5> : tensor<i32>
  %r = stablehlo.pad %x, %p, low = [1], high = [1], interior = [3] : (tensor<0xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[5, 5]> : tensor<2xi32>
  return
}
