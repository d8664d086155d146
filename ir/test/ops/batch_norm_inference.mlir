// stablehlo.batch_norm_inference: scale * (operand - mean) / sqrt(variance + epsilon) + offset, by feature.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) {
  // CHECK: "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg1, %arg1, %arg1) <{epsilon = 1.000000e-01 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg1, %arg1, %arg1) <{epsilon = 1.000000e-01 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

//--- refused.mlir
// (C1) The feature is a dimension of operand.
func.func @refused(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) {
  // expected-error @+2 {{expects feature_index to be in range [0, 2), but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg1, %arg1, %arg1) {epsilon = 0.1 : f32, feature_index = 2 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// (C2) All have one element type.
func.func @refused(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf64>) {
  // expected-error @+2 {{expects the same element type throughout, but got 'tensor<3xf64>' and 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg1, %arg1, %arg1) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3xf32>
  return
}

// -----

// (C3) scale has one element per feature.
func.func @refused(%arg0: tensor<2x3xf32>, %arg1: tensor<2xf32>) {
  // expected-error @+2 {{expects one-dimensional tensors of 3 elements, one per feature, but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg1, %arg1, %arg1) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

//--- meaning.mlir
// Columns are features. The standard deviations are 2 and 4: epsilon is added to the variance.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 6.0]]> : tensor<2x2xf32>
  %scale = stablehlo.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %offset = stablehlo.constant dense<[1.0, -1.0]> : tensor<2xf32>
  %mean = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
  %variance = stablehlo.constant dense<[3.5, 15.5]> : tensor<2xf32>
  %r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %expected = stablehlo.constant dense<[[1.0, -1.25], [3.0, -0.75]]> : tensor<2x2xf32>
  check.expect_close %r, %expected, max_ulp_difference = 1 : tensor<2x2xf32>, tensor<2x2xf32>
  return
}

// -----

// With zero variance and epsilon an element equal to the mean is 0 / 0.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 6.0]]> : tensor<2x2xf32>
  %scale = stablehlo.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %offset = stablehlo.constant dense<[1.0, -1.0]> : tensor<2xf32>
  %mean = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
  %variance = stablehlo.constant dense<[0.0, 4.0]> : tensor<2xf32>
  %r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %expected = stablehlo.constant dense<[[0x7FC00000, -1.5], [0x7F800000, -0.5]]> : tensor<2x2xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<2x2xf32>, tensor<2x2xf32>
  return
}
