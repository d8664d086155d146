// stablehlo.is_finite: whether an element is neither infinite nor NaN.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: stablehlo.is_finite %arg0 : (tensor<2xf32>) -> tensor<2xi1>
  %0 = stablehlo.is_finite %arg0 : (tensor<2xf32>) -> tensor<2xi1>
  // CHECK: stablehlo.is_finite %arg0 : (tensor<2xf32>) -> tensor<2xi1>
  %1 = "stablehlo.is_finite"(%arg0) : (tensor<2xf32>) -> tensor<2xi1>
  return
}

//--- refused.mlir
// (I1) x must hold floating-point numbers.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of floating-point or per-tensor quantized integer values, but got 'tensor<2xi32>'}}
  %0 = stablehlo.is_finite %arg0 : (tensor<2xi32>) -> tensor<2xi1>
  return
}

// -----

// (C1) x and y have one shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xi1>' are incompatible with return type(s) of operation 'tensor<3xi1>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.is_finite %arg0 : (tensor<2xf32>) -> tensor<3xi1>
  return
}

//--- meaning.mlir
// The largest finite number and the smallest subnormal are finite.
func.func @main() {
  %x = stablehlo.constant dense<[0.0, 3.4028235e+38, 1.0e-45, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<6xf32>
  %r = stablehlo.is_finite %x : (tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, false, false]> : tensor<6xi1>
  return
}
