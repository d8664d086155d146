// chlo.is_inf: whether an element is infinite.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: chlo.is_inf %arg0 : tensor<2xf32> -> tensor<2xi1>
  %0 = chlo.is_inf %arg0 : tensor<2xf32> -> tensor<2xi1>
  // CHECK: chlo.is_inf %arg0 : tensor<2xf32> -> tensor<2xi1>
  %1 = "chlo.is_inf"(%arg0) : (tensor<2xf32>) -> tensor<2xi1>
  return
}

//--- refused.mlir
// Elements of i32 are not accepted.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of floating-point values, but got 'tensor<2xi32>'}}
  %0 = chlo.is_inf %arg0 : tensor<2xi32> -> tensor<2xi1>
  return
}

// -----

// Operand and result have one shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xi1>' are incompatible with return type(s) of operation 'tensor<3xi1>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.is_inf %arg0 : tensor<2xf32> -> tensor<3xi1>
  return
}

//--- meaning.mlir
// The largest finite number and NaN are not infinite.
func.func @main() {
  %x = stablehlo.constant dense<[0.0, 3.4028235e+38, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  %r = chlo.is_inf %x : tensor<5xf32> -> tensor<5xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, false]> : tensor<5xi1>
  return
}
