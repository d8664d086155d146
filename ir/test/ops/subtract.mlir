// stablehlo.subtract: the difference of two tensors, element by element.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) {
  // CHECK: stablehlo.subtract %arg0, %arg1 : tensor<2xf32>
  %0 = stablehlo.subtract %arg0, %arg1 : tensor<2xf32>
  // CHECK: stablehlo.subtract %arg0, %arg1 : tensor<2xf32>
  %1 = "stablehlo.subtract"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C1) Operands have one element type.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>) {
  // expected-error @+2 {{requires the same element type for all operands, but 'tensor<2xf32>' and 'tensor<2xi32>' differ}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.subtract %arg0, %arg1 : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

// (C1) Operands have one shape: nothing is broadcast.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<1xf32>) {
  // expected-error @+2 {{requires compatible shapes, but dimension 0 has the sizes 2 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.subtract %arg0, %arg1 : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return
}

// -----

// (I1) Booleans are not accepted.
func.func @refused(%arg0: tensor<2xi1>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signless or unsigned integer or floating-point or complex type with f32 or f64 elements or per-tensor quantized integer values, but got 'tensor<2xi1>'}}
  %0 = stablehlo.subtract %arg0, %arg0 : tensor<2xi1>
  return
}

//--- meaning.mlir
// IEEE 754: x - x is +0; -0 - 0 is -0; ties go to even.
func.func @main() {
  %x = stablehlo.constant dense<[1.5, 0.0, -0.0, 0x7F800000, 16777218.0]> : tensor<5xf32>
  %y = stablehlo.constant dense<[2.25, 0.0, 0.0, 0x7F800000, 1.0]> : tensor<5xf32>
  %r = stablehlo.subtract %x, %y : tensor<5xf32>
  %expected = stablehlo.constant dense<[-0.75, 0.0, -0.0, 0x7FC00000, 16777216.0]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<5xf32>
  %inverse = stablehlo.divide %one, %r : tensor<5xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<5xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

// Integer overflow wraps; the specification leaves it to the implementation.
func.func @main() {
  %x = stablehlo.constant dense<[0, 5]> : tensor<2xui8>
  %y = stablehlo.constant dense<[1, 3]> : tensor<2xui8>
  %r = stablehlo.subtract %x, %y : tensor<2xui8>
  check.expect_eq_const %r, dense<[255, 2]> : tensor<2xui8>
  return
}

// -----

// Complex numbers by their parts.
func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 2.0)]> : tensor<1xcomplex<f32>>
  %y = stablehlo.constant dense<[(3.0, -5.0)]> : tensor<1xcomplex<f32>>
  %r = stablehlo.subtract %x, %y : tensor<1xcomplex<f32>>
  check.expect_eq_const %r, dense<[(-2.0, 7.0)]> : tensor<1xcomplex<f32>>
  return
}

// -----

// A tensor without elements.
func.func @main() {
  %x = stablehlo.constant dense<> : tensor<0x3xf32>
  %r = stablehlo.subtract %x, %x : tensor<0x3xf32>
  check.expect_eq_const %r, dense<> : tensor<0x3xf32>
  return
}
