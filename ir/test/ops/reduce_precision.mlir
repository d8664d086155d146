// stablehlo.reduce_precision: rounds to a format of fewer bits, and back.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: stablehlo.reduce_precision %arg0, format = e5m10 : tensor<2xf32>
  %0 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<2xf32>
  // CHECK: stablehlo.reduce_precision %arg0, format = e8m7 : tensor<2xf32>
  %1 = "stablehlo.reduce_precision"(%arg0) {exponent_bits = 8 : i32, mantissa_bits = 7 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C2) A format has exponent bits.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{expects positive exponent_bits, but got 0}}
  %0 = stablehlo.reduce_precision %arg0, format = e0m10 : tensor<2xf32>
  return
}

// -----

// (C3) mantissa_bits is not negative.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{expects non-negative mantissa_bits, but got -1}}
  %0 = "stablehlo.reduce_precision"(%arg0) {exponent_bits = 5 : i32, mantissa_bits = -1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// (C1) Operand and output have one type.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf16>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.reduce_precision %arg0, format = e5m10 : (tensor<2xf32>) -> tensor<2xf16>
  return
}

//--- meaning.mlir
// Ten bits of mantissa as in f16: ties to even.
func.func @main() {
  %x = stablehlo.constant dense<[1.0004883, 1.0014648, 1.0004892, -0.0, 0x7FC00000, 0x7F800000]> : tensor<6xf32>
  %r = stablehlo.reduce_precision %x, format = e8m10 : tensor<6xf32>
  %expected = stablehlo.constant dense<[1.0, 1.0019531, 1.0009766, -0.0, 0x7FC00000, 0x7F800000]> : tensor<6xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<6xf32>
  %inverse = stablehlo.divide %one, %r : tensor<6xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<6xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// Five bits of exponent: what exceeds them is infinite, what is below the smallest normal number is zero of its sign.
func.func @main() {
  %x = stablehlo.constant dense<[65504.0, 65520.0, -70000.0, 6.1035156e-05, 1.5258789e-05, -1.5258789e-05]> : tensor<6xf32>
  %r = stablehlo.reduce_precision %x, format = e5m10 : tensor<6xf32>
  %expected = stablehlo.constant dense<[65504.0, 0x7F800000, 0xFF800000, 6.1035156e-05, 0.0, -0.0]> : tensor<6xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<6xf32>
  %inverse = stablehlo.divide %one, %r : tensor<6xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<6xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  return
}
