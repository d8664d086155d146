// chlo.erf_inv: the number whose erf the operand is.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: chlo.erf_inv %arg0 : tensor<2xf32> -> tensor<2xf32>
  %0 = chlo.erf_inv %arg0 : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.erf_inv %arg0 : tensor<2xf32> -> tensor<2xf32>
  %1 = "chlo.erf_inv"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// Elements of i32 are not accepted.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of floating-point values, but got 'tensor<2xi32>'}}
  %0 = chlo.erf_inv %arg0 : tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

// Operand and result have one shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.erf_inv %arg0 : tensor<2xf32> -> tensor<3xf32>
  return
}

//--- meaning.mlir
// The nearest f32 to the exact value.
func.func @main() {
  %x = stablehlo.constant dense<[0.5, -0.75, 0.9999, 1.0e-20, -0.001]> : tensor<5xf32>
  %r = chlo.erf_inv %x : tensor<5xf32> -> tensor<5xf32>
  %expected = stablehlo.constant dense<[0.47693628, -0.8134198, 2.7510355, 8.862269e-21, -0.0008862272]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

// 1 and -1 are poles; beyond them the result is NaN.
func.func @main() {
  %x = stablehlo.constant dense<[0.0, 1.0, -1.0, 1.5, 0x7FC00000]> : tensor<5xf32>
  %r = chlo.erf_inv %x : tensor<5xf32> -> tensor<5xf32>
  %expected = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC00000]> : tensor<5xf32>
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
  %x = stablehlo.constant dense<[0.5, -0.75, 0.9999]> : tensor<3xf64>
  %r = chlo.erf_inv %x : tensor<3xf64> -> tensor<3xf64>
  %expected = stablehlo.constant dense<[0.4769362762044699, -0.8134198475976185, 2.75106390571208]> : tensor<3xf64>
  check.expect_close %r, %expected, max_ulp_difference = 2 : tensor<3xf64>, tensor<3xf64>
  return
}
