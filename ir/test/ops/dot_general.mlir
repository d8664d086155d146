// stablehlo.dot_general: sums of products over contracting dimensions, for each index of the batching dimensions.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x4x5xf32>) {
  // CHECK: stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  // CHECK: stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  // CHECK: stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %2 = "stablehlo.dot_general"(%arg0, %arg1) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

//--- refused.mlir
// (C10) Contracted dimensions are of one size.
func.func @refused(%arg0: tensor<3x4xf32>, %arg1: tensor<5x6xf32>) {
  // expected-error @+1 {{expects contracting dimensions of equal size, but dimension 1 of lhs has 4 and dimension 0 of rhs has 5}}
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return
}

// -----

// (C3) A dimension is contracted or a batching one, not both.
func.func @refused(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4xf32>) {
  // expected-error @+1 {{expects lhs batching and contracting dimensions to be unique, but got [0, 0]}}
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [0] x [1] : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3xf32>
  return
}

// -----

// (C12) The result has batching dimensions first, then those left of lhs, then those left of rhs.
func.func @refused(%arg0: tensor<3x4xf32>, %arg1: tensor<4x6xf32>) {
  // expected-error @+1 {{has result type 'tensor<6x3xf32>', but its operands imply 'tensor<3x6xf32>'}}
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x6xf32>) -> tensor<6x3xf32>
  return
}

// -----

// (C21) An algorithm excludes a precision.
func.func @refused(%arg0: tensor<3x4xf32>, %arg1: tensor<4x6xf32>) {
  // expected-error @+1 {{expects DEFAULT precision when an algorithm is set, but got HIGHEST}}
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4x6xf32>) -> tensor<3x6xf32>
  return
}

//--- meaning.mlir
// A matrix product.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = stablehlo.constant dense<[[1.0, -1.0], [0.5, 2.0], [0.0, 3.0]]> : tensor<3x2xf32>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[2.0, 12.0], [6.5, 24.0]]> : tensor<2x2xf32>
  return
}

// -----

// One product per batch.
func.func @main() {
  %x = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32>
  %y = stablehlo.constant dense<[[[1.0, 0.0], [0.0, 2.0]], [[0.0, 1.0], [1.0, 0.0]]]> : tensor<2x2x2xf32>
  %r = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  check.expect_eq_const %r, dense<[[[1.0, 4.0], [3.0, 8.0]], [[6.0, 5.0], [8.0, 7.0]]]> : tensor<2x2x2xf32>
  return
}

// -----

// Nothing contracted: the outer product.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[3, 4, 5]> : tensor<3xi32>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [] x [] : (tensor<2xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[3, 4, 5], [6, 8, 10]]> : tensor<2x3xi32>
  return
}

// -----

// Both dimensions contracted, in this order.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [0, 1] x [1, 0] : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<i32>
  check.expect_eq_const %r, dense<69> : tensor<i32>
  return
}

// -----

// An empty sum is zero.
func.func @main() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %y = stablehlo.constant dense<> : tensor<0x1xf32>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x0xf32>, tensor<0x1xf32>) -> tensor<2x1xf32>
  %expected = stablehlo.constant dense<[[0.0], [0.0]]> : tensor<2x1xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<2x1xf32>, tensor<2x1xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<2x1xf32>
  %inverse = stablehlo.divide %one, %r : tensor<2x1xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<2x1xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<2x1xf32>, tensor<2x1xf32>
  return
}

// -----

// The result may be wider than the operands: 100 * 100 + 100 * 100 exceeds i8.
func.func @main() {
  %x = stablehlo.constant dense<[[100, 100]]> : tensor<1x2xi8>
  %y = stablehlo.constant dense<[[100], [100]]> : tensor<2x1xi8>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<1x2xi8>, tensor<2x1xi8>) -> tensor<1x1xi32>
  check.expect_eq_const %r, dense<[[20000]]> : tensor<1x1xi32>
  return
}

// -----

// Zero times infinity is NaN.
func.func @main() {
  %x = stablehlo.constant dense<[[0.0, 1.0]]> : tensor<1x2xf32>
  %y = stablehlo.constant dense<[[0x7F800000], [1.0]]> : tensor<2x1xf32>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
  %expected = stablehlo.constant dense<[[0x7FC00000]]> : tensor<1x1xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<1x1xf32>, tensor<1x1xf32>
  return
}
