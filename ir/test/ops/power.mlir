// stablehlo.power: lhs to the power of rhs.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) {
  // CHECK: stablehlo.power %arg0, %arg1 : tensor<2xf32>
  %0 = stablehlo.power %arg0, %arg1 : tensor<2xf32>
  // CHECK: stablehlo.power %arg0, %arg1 : tensor<2xf32>
  %1 = "stablehlo.power"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C1) Operands have one element type.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>) {
  // expected-error @+2 {{requires the same element type for all operands, but 'tensor<2xf32>' and 'tensor<2xi32>' differ}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.power %arg0, %arg1 : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

// (C1) Operands have one shape: nothing is broadcast.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<1xf32>) {
  // expected-error @+2 {{requires compatible shapes, but dimension 0 has the sizes 2 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.power %arg0, %arg1 : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return
}

// -----

// (I1) Booleans are not accepted.
func.func @refused(%arg0: tensor<2xi1>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signless or unsigned integer or floating-point or complex type with f32 or f64 elements or per-tensor quantized integer values, but got 'tensor<2xi1>'}}
  %0 = stablehlo.power %arg0, %arg0 : tensor<2xi1>
  return
}

//--- meaning.mlir
// The nearest f32 to the exact value.
func.func @main() {
  %x = stablehlo.constant dense<[2.0, 2.0, -2.0, 10.0, 9.0]> : tensor<5xf32>
  %y = stablehlo.constant dense<[10.0, 0.3, 3.0, -2.0, 0.5]> : tensor<5xf32>
  %r = stablehlo.power %x, %y : tensor<5xf32>
  %expected = stablehlo.constant dense<[1024.0, 1.2311444, -8.0, 0.01, 3.0]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

// IEEE 754 pow: x^0 and 1^y are one even for NaN; a negative base has integer powers only.
func.func @main() {
  %x = stablehlo.constant dense<[0.0, 0x7FC00000, 1.0, 1.0, -1.0, -2.0, 0.0, -0.0, -0.0, 0.5, 0x7F800000, 0xFF800000]> : tensor<12xf32>
  %y = stablehlo.constant dense<[0.0, 0.0, 0x7FC00000, 0x7F800000, 0x7F800000, 0.5, -1.0, -1.0, -2.0, 0x7F800000, -1.0, 3.0]> : tensor<12xf32>
  %r = stablehlo.power %x, %y : tensor<12xf32>
  %expected = stablehlo.constant dense<[1.0, 1.0, 1.0, 1.0, 1.0, 0x7FC00000, 0x7F800000, 0xFF800000, 0x7F800000, 0.0, 0.0, 0xFF800000]> : tensor<12xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<12xf32>, tensor<12xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<12xf32>
  %inverse = stablehlo.divide %one, %r : tensor<12xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<12xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<12xf32>, tensor<12xf32>
  return
}

// -----

// Integers: repeated multiplication; 0^0 is one.
func.func @main() {
  %x = stablehlo.constant dense<[2, -3, 0, 7, -1]> : tensor<5xi32>
  %y = stablehlo.constant dense<[10, 3, 0, 1, 5]> : tensor<5xi32>
  %r = stablehlo.power %x, %y : tensor<5xi32>
  check.expect_eq_const %r, dense<[1024, -27, 1, 7, -1]> : tensor<5xi32>
  return
}

// -----

// (1 + 2i)^2 = 1 + 4i - 4.
func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 2.0)]> : tensor<1xcomplex<f32>>
  %y = stablehlo.constant dense<[(2.0, 0.0)]> : tensor<1xcomplex<f32>>
  %r = stablehlo.power %x, %y : tensor<1xcomplex<f32>>
  %expected = stablehlo.constant dense<[(-3.0, 4.0)]> : tensor<1xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 4 : tensor<1xcomplex<f32>>, tensor<1xcomplex<f32>>
  return
}

// -----

// A tensor without elements.
func.func @main() {
  %x = stablehlo.constant dense<> : tensor<0x3xf32>
  %r = stablehlo.power %x, %x : tensor<0x3xf32>
  check.expect_eq_const %r, dense<> : tensor<0x3xf32>
  return
}
