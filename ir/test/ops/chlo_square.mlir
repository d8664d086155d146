// chlo.square: the product of each element with itself.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: chlo.square %arg0 : tensor<2xf32> -> tensor<2xf32>
  %0 = chlo.square %arg0 : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.square %arg0 : tensor<2xf32> -> tensor<2xf32>
  %1 = "chlo.square"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// Elements of i32 are not accepted.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of floating-point or complex type with f32 or f64 elements values, but got 'tensor<2xi32>'}}
  %0 = chlo.square %arg0 : tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

// Operand and result have one shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.square %arg0 : tensor<2xf32> -> tensor<3xf32>
  return
}

//--- meaning.mlir
// Overflow gives infinity.
func.func @main() {
  %x = stablehlo.constant dense<[1.5, -3.0, -0.0, 1.0e+30, 0xFF800000, 0x7FC00000]> : tensor<6xf32>
  %r = chlo.square %x : tensor<6xf32> -> tensor<6xf32>
  %expected = stablehlo.constant dense<[2.25, 9.0, 0.0, 0x7F800000, 0x7F800000, 0x7FC00000]> : tensor<6xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<6xf32>
  %inverse = stablehlo.divide %one, %r : tensor<6xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<6xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// (1 + 2i)^2 = 1 + 4i - 4.
func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (2.0, -1.0)]> : tensor<2xcomplex<f32>>
  %r = chlo.square %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  check.expect_eq_const %r, dense<[(-3.0, 4.0), (3.0, -4.0)]> : tensor<2xcomplex<f32>>
  return
}
