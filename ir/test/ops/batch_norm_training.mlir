// stablehlo.batch_norm_training: normalization by the mean and variance of operand itself, and both of these.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x2xf32>, %arg1: tensor<2xf32>) {
  // CHECK: "stablehlo.batch_norm_training"(%arg0, %arg1, %arg1) <{epsilon = 1.000000e-01 : f32, feature_index = 1 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg1) <{epsilon = 1.000000e-01 : f32, feature_index = 1 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

//--- refused.mlir
// (C1) The feature is a dimension of operand.
func.func @refused(%arg0: tensor<2x2xf32>, %arg1: tensor<2xf32>) {
  // expected-error @+2 {{expects feature_index to be in range [0, 2), but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg1) {epsilon = 0.1 : f32, feature_index = 2 : i64} : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

// (C3) scale has one element per feature.
func.func @refused(%arg0: tensor<2x2xf32>, %arg1: tensor<3xf32>) {
  // expected-error @+2 {{expects one-dimensional tensors of 2 elements, one per feature, but got 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg1) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<2x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

// (C5) The mean has one element per feature.
func.func @refused(%arg0: tensor<2x2xf32>, %arg1: tensor<2xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x2xf32>', 'tensor<2xf32>', 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2x2xf32>', 'tensor<3xf32>', 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg1) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

//--- meaning.mlir
// The variance divides by the number of elements, not by one less: [1, 3] has 1, [2, 6] has 4.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 6.0]]> : tensor<2x2xf32>
  %scale = stablehlo.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %offset = stablehlo.constant dense<[1.0, -1.0]> : tensor<2xf32>
  %r:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  %output = stablehlo.constant dense<[[-0.41421357, -1.4472136], [2.4142137, -0.5527864]]> : tensor<2x2xf32>
  check.expect_close %r#0, %output, max_ulp_difference = 2 : tensor<2x2xf32>, tensor<2x2xf32>
  check.expect_eq_const %r#1, dense<[2.0, 4.0]> : tensor<2xf32>
  check.expect_eq_const %r#2, dense<[1.0, 4.0]> : tensor<2xf32>
  return
}
