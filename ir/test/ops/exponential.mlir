// stablehlo.exponential: e to the power of each element.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: stablehlo.exponential %arg0 : tensor<2xf32>
  %0 = stablehlo.exponential %arg0 : tensor<2xf32>
  // CHECK: stablehlo.exponential %arg0 : tensor<2xf32>
  %1 = "stablehlo.exponential"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  %2 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  // CHECK: stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  %3 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 0.000000e+00, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  return
}

//--- refused.mlir
// (I1) Elements of i32 are not accepted.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of floating-point or complex type with f32 or f64 elements or per-tensor quantized integer values, but got 'tensor<2xi32>'}}
  %0 = stablehlo.exponential %arg0 : tensor<2xi32>
  return
}

// -----

// (C1) Operand and result have one shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.exponential %arg0 : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

// A result_accuracy has tolerances if and only if its mode is TOLERANCE.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{expects a result accuracy to give tolerances if and only if its mode is TOLERANCE, but got HIGHEST}}
  %0 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  return
}

//--- meaning.mlir
// The nearest f32 to the exact value.
func.func @main() {
  %x = stablehlo.constant dense<[0.5, 1.0, -2.5, 88.5, -100.0, 1.0e-10]> : tensor<6xf32>
  %r = stablehlo.exponential %x : tensor<6xf32>
  %expected = stablehlo.constant dense<[1.6487212, 2.7182817, 0.082085, 2.723088e+38, 3.8e-44, 1.0]> : tensor<6xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// Overflow is infinite, underflow zero.
func.func @main() {
  %x = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 89.0, -110.0]> : tensor<7xf32>
  %r = stablehlo.exponential %x : tensor<7xf32>
  %expected = stablehlo.constant dense<[1.0, 1.0, 0x7F800000, 0.0, 0x7FC00000, 0x7F800000, 0.0]> : tensor<7xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<7xf32>, tensor<7xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<7xf32>
  %inverse = stablehlo.divide %one, %r : tensor<7xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<7xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<7xf32>, tensor<7xf32>
  return
}

// -----

// f64 within one step of the exact value.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, -2.5, 88.5]> : tensor<3xf64>
  %r = stablehlo.exponential %x : tensor<3xf64>
  %expected = stablehlo.constant dense<[2.718281828459045, 0.0820849986238988, 2.7230878250681117e+38]> : tensor<3xf64>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<3xf64>, tensor<3xf64>
  return
}

// -----

// Complex elements: the function of a complex variable, on its principal branch.
func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.25)]> : tensor<2xcomplex<f32>>
  %r = stablehlo.exponential %x : tensor<2xcomplex<f32>>
  %expected = stablehlo.constant dense<[(-1.1312044, 2.4717267), (0.5876751, 0.15005809)]> : tensor<2xcomplex<f32>>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
  return
}
