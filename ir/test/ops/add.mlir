// stablehlo.add: the sum of two tensors, element by element.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) {
  // CHECK: stablehlo.add %arg0, %arg1 : tensor<2xf32>
  %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>
  // CHECK: stablehlo.add %arg0, %arg1 : tensor<2xf32>
  %1 = "stablehlo.add"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func @quantized
func.func @quantized(%arg0: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  // CHECK: stablehlo.add %arg0, %arg0 : tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>
  %0 = stablehlo.add %arg0, %arg0 : tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>
  return
}

//--- refused.mlir
// (C1) Operands have one element type.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>) {
  // expected-error @+2 {{requires the same element type for all operands, but 'tensor<2xf32>' and 'tensor<2xi32>' differ}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.add %arg0, %arg1 : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

// (C1) Operands have one shape: nothing is broadcast.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<1xf32>) {
  // expected-error @+2 {{requires compatible shapes, but dimension 0 has the sizes 2 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.add %arg0, %arg1 : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return
}

// -----

// (C3) Quantized operands have one storage type.
func.func @refused(%arg0: tensor<2x!quant.uniform<i8:f32, 0.5>>, %arg1: tensor<2x!quant.uniform<i16:f32, 0.5>>) {
  // expected-error @+2 {{requires the same element type for all operands, but 'tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>' and 'tensor<2x!quant.uniform<i16:f32, 5.000000e-01>>' differ}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// (C5) Scales along an axis of the result come from an operand.
func.func @refused(%arg0: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error @+1 {{expects a per-axis quantized operand of a per-axis quantized result, but got 'tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>' and 'tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>'}}
  %0 = "stablehlo.add"(%arg0, %arg0) : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>
  return
}

//--- meaning.mlir
// IEEE 754: ties to even, -0 + -0 is -0, opposite infinities are NaN, overflow is infinite.
func.func @main() {
  %x = stablehlo.constant dense<[1.5, 16777216.0, -0.0, 0.0, 0x7F800000, 3.4028235e+38]> : tensor<6xf32>
  %y = stablehlo.constant dense<[2.25, 1.0, -0.0, -0.0, 0xFF800000, 3.4028235e+38]> : tensor<6xf32>
  %r = stablehlo.add %x, %y : tensor<6xf32>
  %expected = stablehlo.constant dense<[3.75, 16777216.0, -0.0, 0.0, 0x7FC00000, 0x7F800000]> : tensor<6xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<6xf32>
  %inverse = stablehlo.divide %one, %r : tensor<6xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<6xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// Integers.
func.func @main() {
  %x = stablehlo.constant dense<[100, -100, 5]> : tensor<3xi8>
  %y = stablehlo.constant dense<[27, -28, -7]> : tensor<3xi8>
  %r = stablehlo.add %x, %y : tensor<3xi8>
  check.expect_eq_const %r, dense<[127, -128, -2]> : tensor<3xi8>
  return
}

// -----

// Integer overflow wraps; the specification leaves it to the implementation.
func.func @main() {
  %x = stablehlo.constant dense<[255, 200]> : tensor<2xui8>
  %y = stablehlo.constant dense<[1, 100]> : tensor<2xui8>
  %r = stablehlo.add %x, %y : tensor<2xui8>
  check.expect_eq_const %r, dense<[0, 44]> : tensor<2xui8>
  return
}

// -----

// Booleans: logical OR.
func.func @main() {
  %x = stablehlo.constant dense<[true, true, false]> : tensor<3xi1>
  %y = stablehlo.constant dense<[true, false, false]> : tensor<3xi1>
  %r = stablehlo.add %x, %y : tensor<3xi1>
  check.expect_eq_const %r, dense<[true, true, false]> : tensor<3xi1>
  return
}

// -----

// Complex numbers by their parts.
func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 2.0)]> : tensor<1xcomplex<f32>>
  %y = stablehlo.constant dense<[(3.0, -5.0)]> : tensor<1xcomplex<f32>>
  %r = stablehlo.add %x, %y : tensor<1xcomplex<f32>>
  check.expect_eq_const %r, dense<[(4.0, -3.0)]> : tensor<1xcomplex<f32>>
  return
}

// -----

// A tensor without elements.
func.func @main() {
  %x = stablehlo.constant dense<> : tensor<0x3xf32>
  %r = stablehlo.add %x, %x : tensor<0x3xf32>
  check.expect_eq_const %r, dense<> : tensor<0x3xf32>
  return
}
