// chlo.digamma: the derivative of lgamma.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: chlo.digamma %arg0 : tensor<2xf32> -> tensor<2xf32>
  %0 = chlo.digamma %arg0 : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.digamma %arg0 : tensor<2xf32> -> tensor<2xf32>
  %1 = "chlo.digamma"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// Elements of i32 are not accepted.
func.func @refused(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of floating-point values, but got 'tensor<2xi32>'}}
  %0 = chlo.digamma %arg0 : tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

// Operand and result have one shape.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = chlo.digamma %arg0 : tensor<2xf32> -> tensor<3xf32>
  return
}

//--- meaning.mlir
// Within 1 ULP of the exact value.
func.func @main() {
  %x = stablehlo.constant dense<[0.5, 2.0, -1.5, 100.0, 0.001]> : tensor<5xf32>
  %r = chlo.digamma %x : tensor<5xf32> -> tensor<5xf32>
  %expected = stablehlo.constant dense<[-1.96351, 0.42278433, 0.70315665, 4.600162, -1000.5755]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

// Negative integers are poles with a different sign on either side: NaN.
func.func @main() {
  %x = stablehlo.constant dense<[1.0e+30, -1.0, -2.0, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  %r = chlo.digamma %x : tensor<5xf32> -> tensor<5xf32>
  %expected = stablehlo.constant dense<[69.07755, 0x7FC00000, 0x7FC00000, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

// f64 within 2 steps of the exact value.
func.func @main() {
  %x = stablehlo.constant dense<[0.5, 2.0, -1.5]> : tensor<3xf64>
  %r = chlo.digamma %x : tensor<3xf64> -> tensor<3xf64>
  %expected = stablehlo.constant dense<[-1.9635100260214235, 0.42278433509846713, 0.7031566406452432]> : tensor<3xf64>
  check.expect_close %r, %expected, max_ulp_difference = 2 : tensor<3xf64>, tensor<3xf64>
  return
}
