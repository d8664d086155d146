// stablehlo.sqrt: the square root, correctly rounded.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: stablehlo.sqrt %arg0 : tensor<2xf32>
  %0 = stablehlo.sqrt %arg0 : tensor<2xf32>
  // CHECK: stablehlo.sqrt %arg0 : tensor<2xf32>
  %1 = "stablehlo.sqrt"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: stablehlo.sqrt %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  %2 = stablehlo.sqrt %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  // CHECK: stablehlo.sqrt %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  %3 = stablehlo.sqrt %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 0.000000e+00, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  return
}

//--- refused.mlir
// (I1) Elements of i32 are not accepted.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of floating-point or complex type with f32 or f64 elements or per-tensor quantized integer values, but got 'tensor<2xi32>'}}
  %0 = stablehlo.sqrt %arg0 : tensor<2xi32>
  return
}

// -----

// (C1) Operand and result have one shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.sqrt %arg0 : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

// A result_accuracy has tolerances if and only if its mode is TOLERANCE.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{expects a result accuracy to give tolerances if and only if its mode is TOLERANCE, but got HIGHEST}}
  %0 = stablehlo.sqrt %arg0 {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  return
}

//--- meaning.mlir
// The nearest f32 to the exact value.
func.func @main() {
  %x = stablehlo.constant dense<[2.0, 0.5, 10.0, 1.0e-40, 3.0e+38, 16.0]> : tensor<6xf32>
  %r = stablehlo.sqrt %x : tensor<6xf32>
  %expected = stablehlo.constant dense<[1.4142135, 0.70710677, 3.1622777, 9.999973e-21, 1.7320508e+19, 4.0]> : tensor<6xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// Signed zeros are kept. A negative number has no real root.
func.func @main() {
  %x = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, -1.0]> : tensor<6xf32>
  %r = stablehlo.sqrt %x : tensor<6xf32>
  %expected = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<6xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<6xf32>
  %inverse = stablehlo.divide %one, %r : tensor<6xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<6xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// f64 within one step of the exact value.
func.func @main() {
  %x = stablehlo.constant dense<[0.5, 10.0, 1.0e-40]> : tensor<3xf64>
  %r = stablehlo.sqrt %x : tensor<3xf64>
  %expected = stablehlo.constant dense<[0.7071067811865476, 3.1622776601683795, 1.0e-20]> : tensor<3xf64>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<3xf64>, tensor<3xf64>
  return
}

// -----

// Complex elements: the function of a complex variable, on its principal branch.
func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25), (-4.0, 0.0)]> : tensor<3xcomplex<f32>>
  %r = stablehlo.sqrt %x : tensor<3xcomplex<f32>>
  %expected = stablehlo.constant dense<[(1.2720196, 0.78615135), (0.17178038, 0.72767335), (0.0, 2.0)]> : tensor<3xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<3xcomplex<f32>>, tensor<3xcomplex<f32>>
  // The check takes -0 for +0; 1 / x tells them apart.
  %r_real = stablehlo.real %r : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %expected_real = stablehlo.real %expected : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %r_imag = stablehlo.imag %r : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %expected_imag = stablehlo.imag %expected : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %inverse_real = stablehlo.divide %one, %r_real : tensor<3xf32>
  %expected_inverse_real = stablehlo.divide %one, %expected_real : tensor<3xf32>
  check.expect_close %inverse_real, %expected_inverse_real, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
  %inverse_imag = stablehlo.divide %one, %r_imag : tensor<3xf32>
  %expected_inverse_imag = stablehlo.divide %one, %expected_imag : tensor<3xf32>
  check.expect_close %inverse_imag, %expected_inverse_imag, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
  return
}
