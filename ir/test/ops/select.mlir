// stablehlo.select: elements of one of two tensors, selected by a predicate.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xi1>, %arg1: tensor<2xf32>, %arg2: tensor<i1>) {
  // CHECK: stablehlo.select %arg0, %arg1, %arg1 : tensor<2xi1>, tensor<2xf32>
  %0 = stablehlo.select %arg0, %arg1, %arg1 : tensor<2xi1>, tensor<2xf32>
  // CHECK: stablehlo.select %arg2, %arg1, %arg1 : tensor<i1>, tensor<2xf32>
  %1 = "stablehlo.select"(%arg2, %arg1, %arg1) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// (C1) pred is a scalar or of the shape of on_true.
func.func @refused(%arg0: tensor<3xi1>, %arg1: tensor<2xf32>) {
  // expected-error @+2 {{expects a predicate that is a scalar or of the operands' shape, but got 'tensor<3xi1>' and 'tensor<2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.select %arg0, %arg1, %arg1 : tensor<3xi1>, tensor<2xf32>
  return
}

// -----

// (C2) on_true and on_false have one type.
func.func @refused(%arg0: tensor<i1>, %arg1: tensor<2xf32>, %arg2: tensor<2xi32>) {
  // expected-error @+2 {{expects alternatives of compatible types, but got 'tensor<2xf32>' and 'tensor<2xi32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.select"(%arg0, %arg1, %arg2) : (tensor<i1>, tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

// (I1) pred must hold booleans.
func.func @refused(%arg0: tensor<2xi32>, %arg1: tensor<2xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of bool values, but got 'tensor<2xi32>'}}
  %0 = stablehlo.select %arg0, %arg1, %arg1 : tensor<2xi32>, tensor<2xf32>
  return
}

//--- meaning.mlir
// One predicate per element. NaN and -0 pass unchanged.
func.func @main() {
  %p = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %x = stablehlo.constant dense<[1.0, 0x7FC00000, -0.0, 4.0]> : tensor<4xf32>
  %y = stablehlo.constant dense<[5.0, 6.0, 0x7FC00000, -0.0]> : tensor<4xf32>
  %r = stablehlo.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>
  %expected = stablehlo.constant dense<[1.0, 6.0, -0.0, -0.0]> : tensor<4xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<4xf32>, tensor<4xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %inverse = stablehlo.divide %one, %r : tensor<4xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<4xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// A scalar predicate selects a whole tensor.
func.func @main() {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %r = stablehlo.select %p, %x, %y : tensor<i1>, tensor<2xi32>
  check.expect_eq_const %r, dense<[3, 4]> : tensor<2xi32>
  return
}
