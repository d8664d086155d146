// stablehlo.batch_norm_grad: the gradients of batch_norm_training.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x2xf32>, %arg1: tensor<2xf32>) {
  // CHECK: "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg1, %arg1, %arg0) <{epsilon = 1.000000e-01 : f32, feature_index = 1 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  %0:3 = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg1, %arg1, %arg0) <{epsilon = 1.000000e-01 : f32, feature_index = 1 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

//--- refused.mlir
// (C1) The feature is a dimension of operand.
func.func @refused(%arg0: tensor<2x2xf32>, %arg1: tensor<2xf32>) {
  // expected-error @+2 {{expects feature_index to be in range [0, 2), but got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg1, %arg1, %arg0) {epsilon = 0.1 : f32, feature_index = -1 : i64} : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

// (C3) grad_output is of the shape of operand.
func.func @refused(%arg0: tensor<2x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<3x2xf32>) {
  // expected-error @+2 {{expects compatible shapes, but got 'tensor<3x2xf32>' and 'tensor<2x2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg1, %arg1, %arg2) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

// (C5) scale has one element per feature.
func.func @refused(%arg0: tensor<2x2xf32>, %arg1: tensor<3xf32>) {
  // expected-error @+2 {{expects one-dimensional tensors of 2 elements, one per feature, but got 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg1, %arg1, %arg0) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<2x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

//--- meaning.mlir
// By the formula of the specification, which agrees with the derivative of batch_norm_training
// where mean and variance are those of operand.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 6.0]]> : tensor<2x2xf32>
  %scale = stablehlo.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %mean = stablehlo.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %variance = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
  %grad = stablehlo.constant dense<[[1.0, -2.0], [4.0, 3.0]]> : tensor<2x2xf32>
  %r:3 = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %grad) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  %grad_operand = stablehlo.constant dense<[[-1.0606601, -0.1118034], [1.0606601, 0.1118034]]> : tensor<2x2xf32>
  check.expect_almost_eq %r#0, %grad_operand, tolerance = 1.0e-6 : tensor<2x2xf32>
  %grad_scale = stablehlo.constant dense<[2.1213202, 4.472136]> : tensor<2xf32>
  check.expect_almost_eq %r#1, %grad_scale, tolerance = 1.0e-6 : tensor<2xf32>
  check.expect_eq_const %r#2, dense<[5.0, 1.0]> : tensor<2xf32>
  return
}

// -----

// With a variance other than that of operand: by the formula alone.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 6.0]]> : tensor<2x2xf32>
  %scale = stablehlo.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %mean = stablehlo.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %variance = stablehlo.constant dense<[3.0, 3.0]> : tensor<2xf32>
  %grad = stablehlo.constant dense<[[1.0, -2.0], [4.0, 3.0]]> : tensor<2x2xf32>
  %r:3 = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %grad) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  %grad_operand = stablehlo.constant dense<[[-1.125, 0.0], [1.125, 0.0]]> : tensor<2x2xf32>
  check.expect_almost_eq %r#0, %grad_operand, tolerance = 1.0e-6 : tensor<2x2xf32>
  check.expect_eq_const %r#1, dense<[1.5, 5.0]> : tensor<2xf32>
  check.expect_eq_const %r#2, dense<[5.0, 1.0]> : tensor<2xf32>
  return
}
