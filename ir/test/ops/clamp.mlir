// stablehlo.clamp: minimum(maximum(operand, min), max).
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>, %arg1: tensor<f32>) {
  // CHECK: stablehlo.clamp %arg0, %arg0, %arg0 : tensor<2xf32>
  %0 = stablehlo.clamp %arg0, %arg0, %arg0 : tensor<2xf32>
  // CHECK: stablehlo.clamp %arg1, %arg0, %arg1 : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = "stablehlo.clamp"(%arg1, %arg0, %arg1) : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C1) min is a scalar or of the shape of operand.
func.func @refused(%arg0: tensor<3xf32>, %arg1: tensor<2xf32>) {
  // expected-error @+2 {{expects min to be a scalar or of the operand's shape, but got 'tensor<3xf32>' and 'tensor<2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.clamp %arg0, %arg1, %arg1 : (tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// (C2) max is a scalar or of the shape of operand.
func.func @refused(%arg0: tensor<3xf32>, %arg1: tensor<2xf32>) {
  // expected-error @+2 {{expects max to be a scalar or of the operand's shape, but got 'tensor<3xf32>' and 'tensor<2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.clamp %arg1, %arg1, %arg0 : (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

// (C3) All three have one element type.
func.func @refused(%arg0: tensor<i32>, %arg1: tensor<2xf32>) {
  // expected-error @+2 {{expects min to have the operand's element type, but got 'tensor<i32>' and 'tensor<2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.clamp %arg0, %arg1, %arg0 : (tensor<i32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  return
}

//--- meaning.mlir
// Scalar bounds. NaN stays NaN, as with maximum and minimum.
func.func @main() {
  %lo = stablehlo.constant dense<-1.0> : tensor<f32>
  %x = stablehlo.constant dense<[-5.0, 0.5, 7.0, 0x7FC00000, 0xFF800000]> : tensor<5xf32>
  %hi = stablehlo.constant dense<1.0> : tensor<f32>
  %r = stablehlo.clamp %lo, %x, %hi : (tensor<f32>, tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
  %expected = stablehlo.constant dense<[-1.0, 0.5, 1.0, 0x7FC00000, -1.0]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

// Bounds per element. Where min exceeds max, max wins.
func.func @main() {
  %lo = stablehlo.constant dense<[0, 5, 3]> : tensor<3xi32>
  %x = stablehlo.constant dense<[-1, 9, 7]> : tensor<3xi32>
  %hi = stablehlo.constant dense<[2, 6, 1]> : tensor<3xi32>
  %r = stablehlo.clamp %lo, %x, %hi : tensor<3xi32>
  check.expect_eq_const %r, dense<[0, 6, 1]> : tensor<3xi32>
  return
}
