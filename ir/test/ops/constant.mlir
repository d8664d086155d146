// stablehlo.constant: a tensor whose elements are known.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form() {
  // CHECK: stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK: stablehlo.constant dense<1.500000e+00> : tensor<2xf32>
  %1 = "stablehlo.constant"() {value = dense<1.5> : tensor<2xf32>} : () -> tensor<2xf32>
  // CHECK: stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 2.000000e+00:15>>
  %2 = stablehlo.constant() {value = dense<[1, 2]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 2.0:15>>
  return
}

//--- refused.mlir
// (C1) The value is of the type of the result.
func.func @refused() {
  // expected-error @+1 {{has a value of type 'tensor<2xi32>', but the result type 'tensor<3xi32>'}}
  %0 = "stablehlo.constant"() {value = dense<1> : tensor<2xi32>} : () -> tensor<3xi32>
  return
}

// -----

// The number of elements is that of the type.
func.func @refused() {
  // expected-error @+1 {{inferred shape of elements literal ([3]) does not match type ([2])}}
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<2xi32>
  return
}

//--- meaning.mlir
// One number fills every place. Floating-point numbers may be given by their bits.
func.func @main() {
  %x = stablehlo.constant dense<7> : tensor<2x2xi32>
  check.expect_eq_const %x, dense<[[7, 7], [7, 7]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<[0x3FC00000, 0x80000000]> : tensor<2xf32>
  %expected_y = stablehlo.constant dense<[1.5, -0.0]> : tensor<2xf32>
  check.expect_close %y, %expected_y, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one_y = stablehlo.constant dense<1.0> : tensor<2xf32>
  %inverse_y = stablehlo.divide %one_y, %y : tensor<2xf32>
  %expected_inverse_y = stablehlo.divide %one_y, %expected_y : tensor<2xf32>
  check.expect_close %inverse_y, %expected_inverse_y, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

// Decimal numbers are rounded to the nearest: 0.1 as f32 is 13421773 * 2^-27.
func.func @main() {
  %x = stablehlo.constant dense<0.1> : tensor<f32>
  %bits = stablehlo.bitcast_convert %x : (tensor<f32>) -> tensor<ui32>
  check.expect_eq_const %bits, dense<1036831949> : tensor<ui32>
  return
}

// -----

// Quantized constants are given by what is stored: (1 - 15) * 2.0 = -28.0.
func.func @main() {
  %x = stablehlo.constant() {value = dense<[1, 15]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 2.0:15>>
  %r = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<i8:f32, 2.0:15>>) -> tensor<2xf32>
  %expected = stablehlo.constant dense<[-28.0, 0.0]> : tensor<2xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %inverse = stablehlo.divide %one, %r : tensor<2xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<2xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  return
}
