// chlo.asin: the angle whose sine the operand is, in [-pi/2, pi/2].
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: chlo.asin %arg0 : tensor<2xf32> -> tensor<2xf32>
  %0 = chlo.asin %arg0 : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.asin %arg0 : tensor<2xf32> -> tensor<2xf32>
  %1 = "chlo.asin"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// Elements of i32 are not accepted.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of floating-point or complex type with f32 or f64 elements values, but got 'tensor<2xi32>'}}
  %0 = chlo.asin %arg0 : tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

// Operand and result have one shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.asin %arg0 : tensor<2xf32> -> tensor<3xf32>
  return
}

//--- meaning.mlir
// The nearest f32 to the exact value.
func.func @main() {
  %x = stablehlo.constant dense<[0.5, -0.75, 0.999, 1.0e-20, 1.0]> : tensor<5xf32>
  %r = chlo.asin %x : tensor<5xf32> -> tensor<5xf32>
  %expected = stablehlo.constant dense<[0.5235988, -0.8480621, 1.5260715, 1.0e-20, 1.5707964]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

// Signed zeros are kept. Outside [-1, 1] the result is NaN.
func.func @main() {
  %x = stablehlo.constant dense<[0.0, -0.0, -1.0, 1.5, 0x7F800000, 0x7FC00000]> : tensor<6xf32>
  %r = chlo.asin %x : tensor<6xf32> -> tensor<6xf32>
  %expected = stablehlo.constant dense<[0.0, -0.0, -1.5707964, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<6xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<6xf32>
  %inverse = stablehlo.divide %one, %r : tensor<6xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<6xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// f64 within 2 steps of the exact value.
func.func @main() {
  %x = stablehlo.constant dense<[0.5, -0.75, 0.999]> : tensor<3xf64>
  %r = chlo.asin %x : tensor<3xf64> -> tensor<3xf64>
  %expected = stablehlo.constant dense<[0.5235987755982989, -0.848062078981481, 1.526071239626163]> : tensor<3xf64>
  check.expect_close %r, %expected, max_ulp_difference = 2 : tensor<3xf64>, tensor<3xf64>
  return
}

// -----

// Complex elements: the function of a complex variable, on its principal branch.
func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25)]> : tensor<2xcomplex<f32>>
  %r = chlo.asin %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.42707857, 1.5285709), (-0.50160885, 0.28139606)]> : tensor<2xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
  return
}
