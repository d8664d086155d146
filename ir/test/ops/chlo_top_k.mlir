// chlo.top_k: the k largest elements of each row, and their indices.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<16xf32>) {
  // CHECK: chlo.top_k(%arg0, k = 4) : tensor<16xf32> -> (tensor<4xf32>, tensor<4xi32>)
  %0:2 = chlo.top_k(%arg0, k = 4) : tensor<16xf32> -> (tensor<4xf32>, tensor<4xi32>)
  // CHECK: chlo.top_k(%arg0, k = 4) : tensor<16xf32> -> (tensor<4xf32>, tensor<4xi32>)
  %1:2 = "chlo.top_k"(%arg0) {k = 4 : i64, is_stable = true} : (tensor<16xf32>) -> (tensor<4xf32>, tensor<4xi32>)
  // CHECK: chlo.top_k(%arg0, k = 4, is_stable = false) : tensor<16xf32> -> (tensor<4xf32>, tensor<4xi32>)
  %2:2 = chlo.top_k(%arg0, k = 4, is_stable = false) : tensor<16xf32> -> (tensor<4xf32>, tensor<4xi32>)
  return
}

//--- refused.mlir
// A row must have k elements.
func.func @refused(%arg0: tensor<3xf32>) {
  // expected-error @+2 {{expects k to be at most the operand's last dimension, 3, but got 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = chlo.top_k(%arg0, k = 4) : tensor<3xf32> -> (tensor<4xf32>, tensor<4xi32>)
  return
}

// -----

// The operand must have a dimension.
func.func @refused(%arg0: tensor<f32>) {
  // expected-error @+2 {{expects an operand of at least one dimension}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = chlo.top_k(%arg0, k = 1) : tensor<f32> -> (tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

// Indices must be i32.
func.func @refused(%arg0: tensor<3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1xf32>', 'tensor<1xi32>' are incompatible with return type(s) of operation 'tensor<1xf32>', 'tensor<1xi64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = chlo.top_k(%arg0, k = 1) : tensor<3xf32> -> (tensor<1xf32>, tensor<1xi64>)
  return
}

//--- meaning.mlir
// From the greatest.
func.func @main() {
  %x = stablehlo.constant dense<[[3, 9, 4], [-1, -3, -2]]> : tensor<2x3xi32>
  %v, %i = chlo.top_k(%x, k = 2, is_stable = true) : tensor<2x3xi32> -> (tensor<2x2xi32>, tensor<2x2xi32>)
  check.expect_eq_const %v, dense<[[9, 4], [-1, -2]]> : tensor<2x2xi32>
  check.expect_eq_const %i, dense<[[1, 2], [0, 2]]> : tensor<2x2xi32>
  return
}

// -----

// A stable one takes the first of equal elements first.
func.func @main() {
  %x = stablehlo.constant dense<[5, 7, 5, 7]> : tensor<4xi32>
  %v, %i = chlo.top_k(%x, k = 3, is_stable = true) : tensor<4xi32> -> (tensor<3xi32>, tensor<3xi32>)
  check.expect_eq_const %v, dense<[7, 7, 5]> : tensor<3xi32>
  check.expect_eq_const %i, dense<[1, 3, 0]> : tensor<3xi32>
  return
}
