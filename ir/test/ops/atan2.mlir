// stablehlo.atan2: the angle of the point (rhs, lhs), in [-pi, pi].
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) {
  // CHECK: stablehlo.atan2 %arg0, %arg1 : tensor<2xf32>
  %0 = stablehlo.atan2 %arg0, %arg1 : tensor<2xf32>
  // CHECK: stablehlo.atan2 %arg0, %arg1 : tensor<2xf32>
  %1 = "stablehlo.atan2"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C1) Operands have one element type.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>) {
  // expected-error @+1 {{operand #1 must be ranked tensor of floating-point or complex type with f32 or f64 elements or per-tensor quantized integer values, but got 'tensor<2xi32>'}}
  %0 = stablehlo.atan2 %arg0, %arg1 : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

// (C1) Operands have one shape: nothing is broadcast.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<1xf32>) {
  // expected-error @+2 {{requires compatible shapes, but dimension 0 has the sizes 2 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.atan2 %arg0, %arg1 : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return
}

// -----

// (I1) Integers are not accepted.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of floating-point or complex type with f32 or f64 elements or per-tensor quantized integer values, but got 'tensor<2xi32>'}}
  %0 = stablehlo.atan2 %arg0, %arg0 : tensor<2xi32>
  return
}

//--- meaning.mlir
// The nearest f32 to the exact value, in all four quadrants.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 3.0]> : tensor<4xf32>
  %y = stablehlo.constant dense<[1.0, -1.0, -2.0, 0.5]> : tensor<4xf32>
  %r = stablehlo.atan2 %x, %y : tensor<4xf32>
  %expected = stablehlo.constant dense<[0.7853982, 2.3561945, -2.6779451, 1.4056476]> : tensor<4xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// On the axes the signs of zeros decide; infinities lie on the diagonals.
func.func @main() {
  %x = stablehlo.constant dense<[0.0, -0.0, 0.0, -0.0, 1.0, -1.0, 0x7F800000, 0x7F800000, 0x7FC00000]> : tensor<9xf32>
  %y = stablehlo.constant dense<[1.0, 1.0, -1.0, -1.0, 0.0, 0.0, 0x7F800000, 0xFF800000, 1.0]> : tensor<9xf32>
  %r = stablehlo.atan2 %x, %y : tensor<9xf32>
  %expected = stablehlo.constant dense<[0.0, -0.0, 3.1415927, -3.1415927, 1.5707964, -1.5707964, 0.7853982, 2.3561945, 0x7FC00000]> : tensor<9xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<9xf32>, tensor<9xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<9xf32>
  %inverse = stablehlo.divide %one, %r : tensor<9xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<9xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<9xf32>, tensor<9xf32>
  return
}

// -----

// A tensor without elements.
func.func @main() {
  %x = stablehlo.constant dense<> : tensor<0x3xf32>
  %r = stablehlo.atan2 %x, %x : tensor<0x3xf32>
  check.expect_eq_const %r, dense<> : tensor<0x3xf32>
  return
}
