// stablehlo.negate: each element with its sign changed.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: stablehlo.negate %arg0 : tensor<2xf32>
  %0 = stablehlo.negate %arg0 : tensor<2xf32>
  // CHECK: stablehlo.negate %arg0 : tensor<2xf32>
  %1 = "stablehlo.negate"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (I1) Elements of i1 are not accepted.
func.func @refused(%arg0: tensor<2xi1>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signless or unsigned integer or floating-point or complex type with f32 or f64 elements or per-tensor quantized integer values, but got 'tensor<2xi1>'}}
  %0 = stablehlo.negate %arg0 : tensor<2xi1>
  return
}

// -----

// (C1) Operand and result have one shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.negate %arg0 : (tensor<2xf32>) -> tensor<3xf32>
  return
}

//--- meaning.mlir
// The sign bit is flipped, of zeros too: this is not 0 - x.
func.func @main() {
  %x = stablehlo.constant dense<[1.5, 0.0, -0.0, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  %r = stablehlo.negate %x : tensor<5xf32>
  %expected = stablehlo.constant dense<[-1.5, -0.0, 0.0, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<5xf32>
  %inverse = stablehlo.divide %one, %r : tensor<5xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<5xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

// Signed integers.
func.func @main() {
  %x = stablehlo.constant dense<[5, 0, 127, -127]> : tensor<4xi8>
  %r = stablehlo.negate %x : tensor<4xi8>
  check.expect_eq_const %r, dense<[-5, 0, -127, 127]> : tensor<4xi8>
  return
}

// -----

// Unsigned integers: the negation of the same bits.
func.func @main() {
  %x = stablehlo.constant dense<[0, 1, 127, 255]> : tensor<4xui8>
  %r = stablehlo.negate %x : tensor<4xui8>
  check.expect_eq_const %r, dense<[0, 255, 129, 1]> : tensor<4xui8>
  return
}

// -----

// Both parts are negated.
func.func @main() {
  %x = stablehlo.constant dense<[(1.0, -2.0)]> : tensor<1xcomplex<f32>>
  %r = stablehlo.negate %x : tensor<1xcomplex<f32>>
  check.expect_eq_const %r, dense<[(-1.0, 2.0)]> : tensor<1xcomplex<f32>>
  return
}
