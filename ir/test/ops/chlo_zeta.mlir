// chlo.zeta: the Hurwitz zeta function: the sum of (q + k)^-x over k from 0 on.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) {
  // CHECK: chlo.zeta %arg0, %arg1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %0 = chlo.zeta %arg0, %arg1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.zeta %arg0, %arg1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %1 = "chlo.zeta"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// Elements of i32 are not accepted.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of floating-point values, but got 'tensor<2xi32>'}}
  %0 = chlo.zeta %arg0, %arg0 : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

// Operands have one shape: nothing is broadcast.
func.func @refused(%arg0: tensor<2xf32>, %arg1: tensor<1xf32>) {
  // expected-error @+2 {{requires compatible shapes, but dimension 0 has the sizes 2 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.zeta %arg0, %arg1 : tensor<2xf32>, tensor<1xf32> -> tensor<2xf32>
  return
}

//--- meaning.mlir
// The nearest f32 to the exact value; zeta(2, 1) is pi^2 / 6.
func.func @main() {
  %x = stablehlo.constant dense<[2.0, 3.0, 1.5, 20.0]> : tensor<4xf32>
  %y = stablehlo.constant dense<[1.0, 0.5, 10.0, 2.0]> : tensor<4xf32>
  %r = chlo.zeta %x, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %expected = stablehlo.constant dense<[1.644934, 8.414398, 0.6486616, 9.539621e-07]> : tensor<4xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// x = 1 is a pole; below it the sum diverges.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 0.5, 2.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<[2.0, 2.0, 0x7FC00000]> : tensor<3xf32>
  %r = chlo.zeta %x, %y : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %expected = stablehlo.constant dense<[0x7F800000, 0x7FC00000, 0x7FC00000]> : tensor<3xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
  return
}
