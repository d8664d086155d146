// stablehlo.uniform_quantize: the nearest stored integers: round(x / scale + zero_point), clamped.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>, %arg1: tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>) {
  // CHECK: stablehlo.uniform_quantize %arg0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>
  %0 = stablehlo.uniform_quantize %arg0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>
  // CHECK: stablehlo.uniform_quantize %arg1 : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<2x!quant.uniform<i8:f32, 2.000000e+00>>
  %1 = "stablehlo.uniform_quantize"(%arg1) : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<2x!quant.uniform<i8:f32, 2.000000e+00>>
  return
}

//--- refused.mlir
// (C1) Operand and result have one shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{requires compatible shapes for all operands and results, but 'tensor<2xf32>' and 'tensor<3x!quant.uniform<i8:f32, 5.000000e-01>>' differ}}
  %0 = stablehlo.uniform_quantize %arg0 : (tensor<2xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// (C2) Quantized elements express those of operand.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{expects a result that expresses 'f32', but got 'f64'}}
  %0 = stablehlo.uniform_quantize %arg0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f64, 0.5>>
  return
}

// -----

// (I1) Integers are not quantized.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of floating-point or per-tensor quantized integer or per-axis quantized integer values, but got 'tensor<2xi32>'}}
  %0 = stablehlo.uniform_quantize %arg0 : (tensor<2xi32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

//--- meaning.mlir
// Scale 0.5, zero point 3: x * 2 + 3.
func.func @main() {
  %x = stablehlo.constant dense<[0.0, 1.0, -1.5, 10.0]> : tensor<4xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %r = stablehlo.bitcast_convert %q : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xi8>
  check.expect_eq_const %r, dense<[3, 5, 0, 23]> : tensor<4xi8>
  return
}

// -----

// Halves go to the even integer, after the zero point is added: 0.5 + 1 and 1.5 + 1.
func.func @main() {
  %x = stablehlo.constant dense<[0.25, 0.75, -0.25]> : tensor<3xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5:1>>
  %r = stablehlo.bitcast_convert %q : (tensor<3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<3xi8>
  check.expect_eq_const %r, dense<[2, 2, 0]> : tensor<3xi8>
  return
}

// -----

// Values out of range are clamped, infinities too.
func.func @main() {
  %x = stablehlo.constant dense<[1000.0, -1000.0, 0x7F800000, 0xFF800000]> : tensor<4xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  %r = stablehlo.bitcast_convert %q : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xi8>
  check.expect_eq_const %r, dense<[127, -128, 127, -128]> : tensor<4xi8>
  return
}

// -----

// Clamped to the storage range that the type declares.
func.func @main() {
  %x = stablehlo.constant dense<[1000.0, -1000.0]> : tensor<2xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8<-127:100>:f32, 0.5>>
  %r = stablehlo.bitcast_convert %q : (tensor<2x!quant.uniform<i8<-127:100>:f32, 0.5>>) -> tensor<2xi8>
  check.expect_eq_const %r, dense<[100, -127]> : tensor<2xi8>
  return
}

// -----

// One scale per element of a dimension.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>
  %r = stablehlo.bitcast_convert %q : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>) -> tensor<2xi8>
  check.expect_eq_const %r, dense<[2, 5]> : tensor<2xi8>
  return
}

// -----

// From one scale to another: (5 - 3) * 0.5 = 1.0 = (2 - 0) * 0.5, (23 - 3) * 0.5 = 10.0.
func.func @main() {
  %x = stablehlo.constant() {value = dense<[5, 23]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %q = stablehlo.uniform_quantize %x : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.25:-1>>
  %r = stablehlo.bitcast_convert %q : (tensor<2x!quant.uniform<i8:f32, 0.25:-1>>) -> tensor<2xi8>
  check.expect_eq_const %r, dense<[3, 39]> : tensor<2xi8>
  return
}
