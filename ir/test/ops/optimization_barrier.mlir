// stablehlo.optimization_barrier: its operands; no compiler moves operations across it.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<f32>, %arg1: !stablehlo.token) {
  // CHECK: stablehlo.optimization_barrier %arg0, %arg1 : tensor<f32>, !stablehlo.token
  %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<f32>, !stablehlo.token
  // CHECK: stablehlo.optimization_barrier()
  "stablehlo.optimization_barrier"() : () -> ()
  return
}

//--- refused.mlir
// (C1) Results are of the types of operands.
func.func @refused(%arg0: tensor<f32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<f32>' are incompatible with return type(s) of operation 'tensor<f64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.optimization_barrier"(%arg0) : (tensor<f32>) -> tensor<f64>
  return
}

// -----

// (C1) There are as many results as operands.
func.func @refused(%arg0: tensor<f32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<f32>' are incompatible with return type(s) of operation}}
  // expected-error @+1 {{failed to infer returned types}}
  "stablehlo.optimization_barrier"(%arg0) : (tensor<f32>) -> ()
  return
}

//--- meaning.mlir
// Values pass through unchanged.
func.func @main() {
  %x = stablehlo.constant dense<[1.5, -2.0, 0x7FC00000]> : tensor<3xf32>
  %y = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %r:2 = stablehlo.optimization_barrier %x, %y : tensor<3xf32>, tensor<2xi32>
  check.expect_close %r#0, %x, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
  check.expect_eq_const %r#1, dense<[1, 2]> : tensor<2xi32>
  return
}
