// stablehlo.compare: the truth of a comparison, element by element.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: stablehlo.compare  LT, %arg0, %arg0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %0 = stablehlo.compare LT, %arg0, %arg0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // CHECK: stablehlo.compare  GE, %arg0, %arg0,  TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %1 = stablehlo.compare GE, %arg0, %arg0, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // CHECK: stablehlo.compare  NE, %arg0, %arg0,  FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %2 = "stablehlo.compare"(%arg0, %arg0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

//--- refused.mlir
// (C1) Operands have one element type.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>) {
  // expected-error @+1 {{requires the same element type for all operands, but 'tensor<2xf32>' and 'tensor<2xi32>' differ}}
  %0 = stablehlo.compare EQ, %arg0, %arg1 : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xi1>
  return
}

// -----

// (C2) Operands have one shape.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>) {
  // expected-error @+2 {{requires compatible shapes, but dimension 0 has the sizes 2 and 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.compare EQ, %arg0, %arg1 : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xi1>
  return
}

// -----

// (C3) Complex numbers have no TOTALORDER.
func.func @refused(%arg0: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{has compare_type TOTALORDER, which does not suit elements of 'complex<f32>'}}
  %0 = stablehlo.compare LT, %arg0, %arg0, TOTALORDER : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  return
}

//--- meaning.mlir
// FLOAT: zeros are equal; of comparisons with NaN only NE is true.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, -0.0, 0x7FC00000, 0x7FC00000, 0x7F800000]> : tensor<6xf32>
  %y = stablehlo.constant dense<[2.0, 2.0, 0.0, 1.0, 0x7FC00000, 0x7F800000]> : tensor<6xf32>
  %eq = stablehlo.compare EQ, %x, %y : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %eq, dense<[false, true, true, false, false, true]> : tensor<6xi1>
  %ne = stablehlo.compare NE, %x, %y : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %ne, dense<[true, false, false, true, true, false]> : tensor<6xi1>
  %ge = stablehlo.compare GE, %x, %y : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %ge, dense<[false, true, true, false, false, true]> : tensor<6xi1>
  %gt = stablehlo.compare GT, %x, %y : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %gt, dense<[false, false, false, false, false, false]> : tensor<6xi1>
  %le = stablehlo.compare LE, %x, %y : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %le, dense<[true, true, true, false, false, true]> : tensor<6xi1>
  %lt = stablehlo.compare LT, %x, %y : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %lt, dense<[true, false, false, false, false, false]> : tensor<6xi1>
  return
}

// -----

// TOTALORDER: -0 is less than +0, a positive NaN greater than infinity and equal to itself. The specification names
// totalOrder and compareQuietEqual without saying how they combine; the reference compares by totalOrder alone.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, -0.0, 0x7FC00000, 0x7FC00000, 0x7F800000]> : tensor<6xf32>
  %y = stablehlo.constant dense<[2.0, 2.0, 0.0, 1.0, 0x7FC00000, 0x7F800000]> : tensor<6xf32>
  %eq = stablehlo.compare EQ, %x, %y, TOTALORDER : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %eq, dense<[false, true, false, false, true, true]> : tensor<6xi1>
  %ne = stablehlo.compare NE, %x, %y, TOTALORDER : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %ne, dense<[true, false, true, true, false, false]> : tensor<6xi1>
  %ge = stablehlo.compare GE, %x, %y, TOTALORDER : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %ge, dense<[false, true, false, true, true, true]> : tensor<6xi1>
  %gt = stablehlo.compare GT, %x, %y, TOTALORDER : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %gt, dense<[false, false, false, true, false, false]> : tensor<6xi1>
  %le = stablehlo.compare LE, %x, %y, TOTALORDER : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %le, dense<[true, true, true, false, true, true]> : tensor<6xi1>
  %lt = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %lt, dense<[true, false, true, false, false, false]> : tensor<6xi1>
  return
}

// -----

// Signed integers.
func.func @main() {
  %x = stablehlo.constant dense<[-1, 0, 127]> : tensor<3xi8>
  %y = stablehlo.constant dense<[1, 0, -128]> : tensor<3xi8>
  %eq = stablehlo.compare EQ, %x, %y, SIGNED : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  check.expect_eq_const %eq, dense<[false, true, false]> : tensor<3xi1>
  %ne = stablehlo.compare NE, %x, %y, SIGNED : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  check.expect_eq_const %ne, dense<[true, false, true]> : tensor<3xi1>
  %ge = stablehlo.compare GE, %x, %y, SIGNED : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  check.expect_eq_const %ge, dense<[false, true, true]> : tensor<3xi1>
  %gt = stablehlo.compare GT, %x, %y, SIGNED : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  check.expect_eq_const %gt, dense<[false, false, true]> : tensor<3xi1>
  %le = stablehlo.compare LE, %x, %y, SIGNED : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  check.expect_eq_const %le, dense<[true, true, false]> : tensor<3xi1>
  %lt = stablehlo.compare LT, %x, %y, SIGNED : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  check.expect_eq_const %lt, dense<[true, false, false]> : tensor<3xi1>
  return
}

// -----

// Unsigned integers.
func.func @main() {
  %x = stablehlo.constant dense<[255, 0, 127]> : tensor<3xui8>
  %y = stablehlo.constant dense<[1, 0, 128]> : tensor<3xui8>
  %eq = stablehlo.compare EQ, %x, %y, UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  check.expect_eq_const %eq, dense<[false, true, false]> : tensor<3xi1>
  %ne = stablehlo.compare NE, %x, %y, UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  check.expect_eq_const %ne, dense<[true, false, true]> : tensor<3xi1>
  %ge = stablehlo.compare GE, %x, %y, UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  check.expect_eq_const %ge, dense<[true, true, false]> : tensor<3xi1>
  %gt = stablehlo.compare GT, %x, %y, UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  check.expect_eq_const %gt, dense<[true, false, false]> : tensor<3xi1>
  %le = stablehlo.compare LE, %x, %y, UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  check.expect_eq_const %le, dense<[false, true, true]> : tensor<3xi1>
  %lt = stablehlo.compare LT, %x, %y, UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  check.expect_eq_const %lt, dense<[false, false, true]> : tensor<3xi1>
  return
}

// -----

// The elements say how they are compared, whatever the type of comparison: i8 has a sign, ui8 has none.
func.func @main() {
  %x = stablehlo.constant dense<[-1, 0, 127]> : tensor<3xi8>
  %y = stablehlo.constant dense<[1, 0, -128]> : tensor<3xi8>
  %lt = stablehlo.compare LT, %x, %y, UNSIGNED : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  check.expect_eq_const %lt, dense<[true, false, false]> : tensor<3xi1>
  %u = stablehlo.constant dense<[255, 0, 127]> : tensor<3xui8>
  %v = stablehlo.constant dense<[1, 0, 128]> : tensor<3xui8>
  %less = stablehlo.compare LT, %u, %v, SIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  check.expect_eq_const %less, dense<[false, false, true]> : tensor<3xi1>
  return
}

// -----

// Booleans: false is less than true.
func.func @main() {
  %x = stablehlo.constant dense<[false, true, true]> : tensor<3xi1>
  %y = stablehlo.constant dense<[true, true, false]> : tensor<3xi1>
  %eq = stablehlo.compare EQ, %x, %y : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  check.expect_eq_const %eq, dense<[false, true, false]> : tensor<3xi1>
  %ne = stablehlo.compare NE, %x, %y : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  check.expect_eq_const %ne, dense<[true, false, true]> : tensor<3xi1>
  %ge = stablehlo.compare GE, %x, %y : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  check.expect_eq_const %ge, dense<[false, true, true]> : tensor<3xi1>
  %gt = stablehlo.compare GT, %x, %y : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  check.expect_eq_const %gt, dense<[false, false, true]> : tensor<3xi1>
  %le = stablehlo.compare LE, %x, %y : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  check.expect_eq_const %le, dense<[true, true, false]> : tensor<3xi1>
  %lt = stablehlo.compare LT, %x, %y : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  check.expect_eq_const %lt, dense<[true, false, false]> : tensor<3xi1>
  return
}

// -----

// Complex numbers by (real, imaginary), lexicographically.
func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 5.0), (2.0, -1.0)]> : tensor<2xcomplex<f32>>
  %y = stablehlo.constant dense<[(2.0, 0.0), (2.0, -1.0)]> : tensor<2xcomplex<f32>>
  %eq = stablehlo.compare EQ, %x, %y : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  check.expect_eq_const %eq, dense<[false, true]> : tensor<2xi1>
  %ne = stablehlo.compare NE, %x, %y : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  check.expect_eq_const %ne, dense<[true, false]> : tensor<2xi1>
  %ge = stablehlo.compare GE, %x, %y : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  check.expect_eq_const %ge, dense<[false, true]> : tensor<2xi1>
  %gt = stablehlo.compare GT, %x, %y : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  check.expect_eq_const %gt, dense<[false, false]> : tensor<2xi1>
  %le = stablehlo.compare LE, %x, %y : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  check.expect_eq_const %le, dense<[true, true]> : tensor<2xi1>
  %lt = stablehlo.compare LT, %x, %y : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  check.expect_eq_const %lt, dense<[true, false]> : tensor<2xi1>
  return
}
