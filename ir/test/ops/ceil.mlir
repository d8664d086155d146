// stablehlo.ceil: the smallest integer not less than each element.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: stablehlo.ceil %arg0 : tensor<2xf32>
  %0 = stablehlo.ceil %arg0 : tensor<2xf32>
  // CHECK: stablehlo.ceil %arg0 : tensor<2xf32>
  %1 = "stablehlo.ceil"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (I1) Elements of i32 are not accepted.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of floating-point or per-tensor quantized integer values, but got 'tensor<2xi32>'}}
  %0 = stablehlo.ceil %arg0 : tensor<2xi32>
  return
}

// -----

// (C1) Operand and result have one shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.ceil %arg0 : (tensor<2xf32>) -> tensor<3xf32>
  return
}

//--- meaning.mlir
// Numbers between -1 and 0 become -0.
func.func @main() {
  %x = stablehlo.constant dense<[-2.5, -0.5, 0.25, 2.0, 8388609.0, 0x7F800000, 0x7FC00000]> : tensor<7xf32>
  %r = stablehlo.ceil %x : tensor<7xf32>
  %expected = stablehlo.constant dense<[-2.0, -0.0, 1.0, 2.0, 8388609.0, 0x7F800000, 0x7FC00000]> : tensor<7xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<7xf32>, tensor<7xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<7xf32>
  %inverse = stablehlo.divide %one, %r : tensor<7xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<7xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<7xf32>, tensor<7xf32>
  return
}

// -----

// The smallest step above one in bf16 is 2^-7.
func.func @main() {
  %x = stablehlo.constant dense<[1.0078125, -1.0078125, 0.0]> : tensor<3xbf16>
  %r = stablehlo.ceil %x : tensor<3xbf16>
  %expected = stablehlo.constant dense<[2.0, -1.0, 0.0]> : tensor<3xbf16>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<3xbf16>, tensor<3xbf16>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<3xbf16>
  %inverse = stablehlo.divide %one, %r : tensor<3xbf16>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<3xbf16>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<3xbf16>, tensor<3xbf16>
  return
}
