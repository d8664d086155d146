// stablehlo.uniform_dequantize: the numbers that stored integers express: (x - zero_point) * scale.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>) {
  // CHECK: stablehlo.uniform_dequantize %arg0 : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<2xf32>
  %0 = stablehlo.uniform_dequantize %arg0 : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<2xf32>
  // CHECK: stablehlo.uniform_dequantize %arg0 : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<2xf32>
  %1 = "stablehlo.uniform_dequantize"(%arg0) : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C1) Operand and result have one shape.
func.func @refused(%arg0: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.uniform_dequantize %arg0 : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<3xf32>
  return
}

// -----

// (C2) The result is of the expressed type.
func.func @refused(%arg0: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.uniform_dequantize %arg0 : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf64>
  return
}

// -----

// (I1) operand must be quantized.
func.func @refused(%arg0: tensor<2xi8>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of per-tensor quantized integer or per-axis quantized integer values, but got 'tensor<2xi8>'}}
  %0 = stablehlo.uniform_dequantize %arg0 : (tensor<2xi8>) -> tensor<2xf32>
  return
}

//--- meaning.mlir
// Scale 0.5, zero point 3.
func.func @main() {
  %x = stablehlo.constant() {value = dense<[3, 5, -128, 127]> : tensor<4xi8>} : () -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %r = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  %expected = stablehlo.constant dense<[0.0, 1.0, -65.5, 62.0]> : tensor<4xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<4xf32>, tensor<4xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %inverse = stablehlo.divide %one, %r : tensor<4xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<4xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// One scale and zero point per column.
func.func @main() {
  %x = stablehlo.constant() {value = dense<[[1, 1], [5, 5]]> : tensor<2x2xi8>} : () -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25:1}>>
  %r = stablehlo.uniform_dequantize %x : (tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25:1}>>) -> tensor<2x2xf32>
  %expected = stablehlo.constant dense<[[0.5, 0.0], [2.5, 1.0]]> : tensor<2x2xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<2x2xf32>, tensor<2x2xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<2x2xf32>
  %inverse = stablehlo.divide %one, %r : tensor<2x2xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<2x2xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<2x2xf32>, tensor<2x2xf32>
  return
}

// -----

// An op on quantized operands computes on the numbers, then quantizes: 1.0 + 1.5 = 2.5 and 60 + 60 clamped to 63.5.
func.func @main() {
  %x = stablehlo.constant() {value = dense<[2, 120]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %y = stablehlo.constant() {value = dense<[3, 120]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %s = stablehlo.add %x, %y : tensor<2x!quant.uniform<i8:f32, 0.5>>
  %r = stablehlo.uniform_dequantize %s : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<[2.5, 63.5]> : tensor<2xf32>
  return
}
