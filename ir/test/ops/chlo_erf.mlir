// chlo.erf: the error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: chlo.erf %arg0 : tensor<2xf32> -> tensor<2xf32>
  %0 = chlo.erf %arg0 : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.erf %arg0 : tensor<2xf32> -> tensor<2xf32>
  %1 = "chlo.erf"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// Elements of i32 are not accepted.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of floating-point values, but got 'tensor<2xi32>'}}
  %0 = chlo.erf %arg0 : tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

// Operand and result have one shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.erf %arg0 : tensor<2xf32> -> tensor<3xf32>
  return
}

//--- meaning.mlir
// The nearest f32 to the exact value.
func.func @main() {
  %x = stablehlo.constant dense<[0.5, -2.0, 1.0e-20, 3.5, -0.001]> : tensor<5xf32>
  %r = chlo.erf %x : tensor<5xf32> -> tensor<5xf32>
  %expected = stablehlo.constant dense<[0.5204999, -0.9953223, 1.1283791e-20, 0.9999993, -0.0011283788]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

// Signed zeros are kept. The limits are one and minus one.
func.func @main() {
  %x = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  %r = chlo.erf %x : tensor<5xf32> -> tensor<5xf32>
  %expected = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7FC00000]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<5xf32>
  %inverse = stablehlo.divide %one, %r : tensor<5xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<5xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

// f64 within 2 steps of the exact value.
func.func @main() {
  %x = stablehlo.constant dense<[0.5, -2.0, 1.0e-20]> : tensor<3xf64>
  %r = chlo.erf %x : tensor<3xf64> -> tensor<3xf64>
  %expected = stablehlo.constant dense<[0.5204998778130465, -0.9953222650189527, 1.1283791670955125e-20]> : tensor<3xf64>
  check.expect_close %r, %expected, max_ulp_difference = 2 : tensor<3xf64>, tensor<3xf64>
  return
}
