// chlo.next_after: the next number from x toward y.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) {
  // CHECK: chlo.next_after %arg0, %arg1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %0 = chlo.next_after %arg0, %arg1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.next_after %arg0, %arg1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %1 = "chlo.next_after"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// Elements of i32 are not accepted.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of floating-point values, but got 'tensor<2xi32>'}}
  %0 = chlo.next_after %arg0, %arg0 : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

// Operands have one shape: nothing is broadcast.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<1xf32>) {
  // expected-error @+2 {{requires compatible shapes, but dimension 0 has the sizes 2 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.next_after %arg0, %arg1 : tensor<2xf32>, tensor<1xf32> -> tensor<2xf32>
  return
}

//--- meaning.mlir
// Next to zero are subnormal numbers, beyond the largest number infinity. The result is x where both are equal.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 1.0, 0.0, -0.0, 3.4028235e+38, 2.5]> : tensor<6xf32>
  %y = stablehlo.constant dense<[2.0, 0.0, -1.0, 1.0, 0x7F800000, 2.5]> : tensor<6xf32>
  %r = chlo.next_after %x, %y : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
  %expected = stablehlo.constant dense<[1.0000001, 0.99999994, -1.0e-45, 1.0e-45, 0x7F800000, 2.5]> : tensor<6xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// NaN in either operand wins. Infinity steps back to the largest finite number.
func.func @main() {
  %x = stablehlo.constant dense<[0x7FC00000, 1.0, 0x7F800000]> : tensor<3xf32>
  %y = stablehlo.constant dense<[1.0, 0x7FC00000, 0.0]> : tensor<3xf32>
  %r = chlo.next_after %x, %y : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %expected = stablehlo.constant dense<[0x7FC00000, 0x7FC00000, 3.4028235e+38]> : tensor<3xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

// Steps are those of the type.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xbf16>
  %y = stablehlo.constant dense<[2.0, 0.0]> : tensor<2xbf16>
  %r = chlo.next_after %x, %y : tensor<2xbf16>, tensor<2xbf16> -> tensor<2xbf16>
  check.expect_eq_const %r, dense<[1.0078125, 0.99609375]> : tensor<2xbf16>
  return
}
