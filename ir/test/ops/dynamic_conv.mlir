// stablehlo.dynamic_conv: convolution with padding computed at run time.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<1x?x1xf32>, %arg1: tensor<2x1x1xf32>, %arg2: tensor<1x2xi64>) {
  // CHECK: "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 2>}> : (tensor<1x?x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x?x1xf32>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 2>}> : (tensor<1x?x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x?x1xf32>
  return
}

//--- refused.mlir
// (C4) Padding is a pair per spatial dimension.
func.func @refused(%arg0: tensor<1x5x1xf32>, %arg1: tensor<2x1x1xf32>, %arg2: tensor<2x2xi64>) {
  // expected-error @+1 {{expects padding of shape [1, 2], but got 'tensor<2x2xi64>'}}
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x1xf32>, tensor<2x1x1xf32>, tensor<2x2xi64>) -> tensor<1x?x1xf32>
  return
}

// -----

// (C14) The kernel takes as many features as lhs has.
func.func @refused(%arg0: tensor<1x5x3xf32>, %arg1: tensor<2x1x1xf32>, %arg2: tensor<1x2xi64>) {
  // expected-error @+1 {{expects the kernel's input features, 1, to be the input's, 3, divided by feature_group_count = 1}}
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x3xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x?x1xf32>
  return
}

//--- meaning.mlir
// One zero of padding in front: [0, 1, 2, 3] and the kernel [1, 10].
func.func @main() {
  %x = stablehlo.constant dense<[[[1], [2], [3]]]> : tensor<1x3x1xi32>
  %k = stablehlo.constant dense<[[[1]], [[10]]]> : tensor<2x1x1xi32>
  %pad = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi64>
  %d = "stablehlo.dynamic_conv"(%x, %k, %pad) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1xi32>, tensor<2x1x1xi32>, tensor<1x2xi64>) -> tensor<1x?x1xi32>
  %r = stablehlo.reshape %d : (tensor<1x?x1xi32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[10, 21, 32]> : tensor<3xi32>
  return
}
