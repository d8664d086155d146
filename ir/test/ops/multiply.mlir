// stablehlo.multiply: the product of two tensors, element by element.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) {
  // CHECK: stablehlo.multiply %arg0, %arg1 : tensor<2xf32>
  %0 = stablehlo.multiply %arg0, %arg1 : tensor<2xf32>
  // CHECK: stablehlo.multiply %arg0, %arg1 : tensor<2xf32>
  %1 = "stablehlo.multiply"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C1) Operands have one element type.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>) {
  // expected-error @+2 {{requires the same element type for all operands, but 'tensor<2xf32>' and 'tensor<2xi32>' differ}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.multiply %arg0, %arg1 : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

// (C1) Operands have one shape: nothing is broadcast.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<1xf32>) {
  // expected-error @+2 {{requires compatible shapes, but dimension 0 has the sizes 2 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.multiply %arg0, %arg1 : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return
}

//--- meaning.mlir
// IEEE 754: zero times infinity is NaN; overflow is infinite, underflow zero.
func.func @main() {
  %x = stablehlo.constant dense<[1.5, -0.0, 0.0, 3.0e+38, 1.0e-30]> : tensor<5xf32>
  %y = stablehlo.constant dense<[2.5, 2.0, 0x7F800000, 10.0, 1.0e-30]> : tensor<5xf32>
  %r = stablehlo.multiply %x, %y : tensor<5xf32>
  %expected = stablehlo.constant dense<[3.75, -0.0, 0x7FC00000, 0x7F800000, 0.0]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<5xf32>
  %inverse = stablehlo.divide %one, %r : tensor<5xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<5xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

// Subnormal products are kept.
func.func @main() {
  %x = stablehlo.constant dense<[1.0e-30]> : tensor<1xf32>
  %y = stablehlo.constant dense<[1.0e-10]> : tensor<1xf32>
  %r = stablehlo.multiply %x, %y : tensor<1xf32>
  check.expect_eq_const %r, dense<[1.0e-40]> : tensor<1xf32>
  return
}

// -----

// Integer overflow wraps; the specification leaves it to the implementation.
func.func @main() {
  %x = stablehlo.constant dense<[65536, -3, 7]> : tensor<3xi32>
  %y = stablehlo.constant dense<[65536, 5, 0]> : tensor<3xi32>
  %r = stablehlo.multiply %x, %y : tensor<3xi32>
  check.expect_eq_const %r, dense<[0, -15, 0]> : tensor<3xi32>
  return
}

// -----

// Booleans: logical AND.
func.func @main() {
  %x = stablehlo.constant dense<[true, true]> : tensor<2xi1>
  %y = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %r = stablehlo.multiply %x, %y : tensor<2xi1>
  check.expect_eq_const %r, dense<[true, false]> : tensor<2xi1>
  return
}

// -----

// (1 + 2i)(3 - 5i) = 3 - 5i + 6i + 10.
func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 2.0)]> : tensor<1xcomplex<f32>>
  %y = stablehlo.constant dense<[(3.0, -5.0)]> : tensor<1xcomplex<f32>>
  %r = stablehlo.multiply %x, %y : tensor<1xcomplex<f32>>
  check.expect_eq_const %r, dense<[(13.0, 1.0)]> : tensor<1xcomplex<f32>>
  return
}

// -----

// A tensor without elements.
func.func @main() {
  %x = stablehlo.constant dense<> : tensor<0x3xf32>
  %r = stablehlo.multiply %x, %x : tensor<0x3xf32>
  check.expect_eq_const %r, dense<> : tensor<0x3xf32>
  return
}
