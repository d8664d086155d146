// stablehlo.real: the real part.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xcomplex<f32>>) {
  // CHECK: stablehlo.real %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %0 = stablehlo.real %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // CHECK: stablehlo.real %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %1 = "stablehlo.real"(%arg0) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C2) The result holds the parts of the complex elements.
func.func @refused(%arg0: tensor<2xcomplex<f32>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.real %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}

// -----

// (C1) Operand and result have one shape.
func.func @refused(%arg0: tensor<2xcomplex<f32>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.real %arg0 : (tensor<2xcomplex<f32>>) -> tensor<3xf32>
  return
}

//--- meaning.mlir
// NaN in the other part does not matter.
func.func @main() {
  %x = stablehlo.constant dense<[(1.5, -2.0), (-0.0, 1.0), (0x7F800000, 0x7FC00000)]> : tensor<3xcomplex<f32>>
  %r = stablehlo.real %x : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %expected = stablehlo.constant dense<[1.5, -0.0, 0x7F800000]> : tensor<3xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %inverse = stablehlo.divide %one, %r : tensor<3xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<3xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

// A real number is its own real part.
func.func @main() {
  %x = stablehlo.constant dense<[1.5, -0.0]> : tensor<2xf32>
  %r = stablehlo.real %x : tensor<2xf32>
  %expected = stablehlo.constant dense<[1.5, -0.0]> : tensor<2xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %inverse = stablehlo.divide %one, %r : tensor<2xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<2xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  return
}
