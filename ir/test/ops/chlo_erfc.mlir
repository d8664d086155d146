// chlo.erfc: 1 - erf(x), accurate where erf is near one.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: chlo.erfc %arg0 : tensor<2xf32> -> tensor<2xf32>
  %0 = chlo.erfc %arg0 : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.erfc %arg0 : tensor<2xf32> -> tensor<2xf32>
  %1 = "chlo.erfc"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// Elements of i32 are not accepted.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of floating-point values, but got 'tensor<2xi32>'}}
  %0 = chlo.erfc %arg0 : tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

// Operand and result have one shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.erfc %arg0 : tensor<2xf32> -> tensor<3xf32>
  return
}

//--- meaning.mlir
// The nearest f32 to the exact value.
func.func @main() {
  %x = stablehlo.constant dense<[0.5, -2.0, 9.0, 3.5, 1.0e-20]> : tensor<5xf32>
  %r = chlo.erfc %x : tensor<5xf32> -> tensor<5xf32>
  %expected = stablehlo.constant dense<[0.47950011, 1.9953222, 4.1370317e-37, 7.430984e-07, 1.0]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

// The limits are zero and two.
func.func @main() {
  %x = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 20.0]> : tensor<5xf32>
  %r = chlo.erfc %x : tensor<5xf32> -> tensor<5xf32>
  %expected = stablehlo.constant dense<[1.0, 0.0, 2.0, 0x7FC00000, 0.0]> : tensor<5xf32>
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
  %x = stablehlo.constant dense<[0.5, -2.0, 9.0]> : tensor<3xf64>
  %r = chlo.erfc %x : tensor<3xf64> -> tensor<3xf64>
  %expected = stablehlo.constant dense<[0.4795001221869535, 1.9953222650189528, 4.13703174651381e-37]> : tensor<3xf64>
  check.expect_close %r, %expected, max_ulp_difference = 2 : tensor<3xf64>, tensor<3xf64>
  return
}
