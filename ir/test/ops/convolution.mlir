// stablehlo.convolution: sums of products of a kernel with every window of lhs.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<1x8x8x6xf32>, %arg1: tensor<3x3x6x16xf32>) {
  // CHECK{LITERAL}: stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 1], [1, 1]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<1x3x15x16xf32>
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 1], [1, 1]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<1x3x15x16xf32>
  // CHECK: stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<1x6x6x16xf32>
  %1 = "stablehlo.convolution"(%arg0, %arg1) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

//--- refused.mlir
// (C11) Feature groups divide the input features.
func.func @refused(%arg0: tensor<1x8x8x6xf32>, %arg1: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expects the input feature size 6 to be a multiple of feature_group_count = 4}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {feature_group_count = 4 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

// (C13) Dimensions must be unique.
func.func @refused(%arg0: tensor<1x8x8x6xf32>, %arg1: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.convolution' spatial dimension 0 is given twice}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

// (C14) The kernel takes as many features as a group of lhs has.
func.func @refused(%arg0: tensor<1x8x8x5xf32>, %arg1: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{expects the kernel's input features, 6, to be the input's, 5, divided by feature_group_count = 1}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x5xf32>, tensor<3x3x6x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

// (C25) The result has one place per window.
func.func @refused(%arg0: tensor<1x8x8x6xf32>, %arg1: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{has result type 'tensor<1x7x7x16xf32>', but its operands imply 'tensor<1x6x6x16xf32>'}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<1x7x7x16xf32>
  return
}

//--- meaning.mlir
// The kernel is not flipped: signal processing calls this cross-correlation.
func.func @main() {
  %x = stablehlo.constant dense<[[[1], [2], [3], [4], [5]]]> : tensor<1x5x1xi32>
  %k = stablehlo.constant dense<[[[1]], [[10]]]> : tensor<2x1x1xi32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
    {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x1xi32>, tensor<2x1x1xi32>) -> tensor<1x4x1xi32>
  check.expect_eq_const %r, dense<[[[21], [32], [43], [54]]]> : tensor<1x4x1xi32>
  return
}

// -----

// With a reversed window it is the convolution of mathematics.
func.func @main() {
  %x = stablehlo.constant dense<[[[1], [2], [3], [4], [5]]]> : tensor<1x5x1xi32>
  %k = stablehlo.constant dense<[[[1]], [[10]]]> : tensor<2x1x1xi32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [true]}
    {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x1xi32>, tensor<2x1x1xi32>) -> tensor<1x4x1xi32>
  check.expect_eq_const %r, dense<[[[12], [23], [34], [45]]]> : tensor<1x4x1xi32>
  return
}

// -----

// Padding with zeros, and a stride of two.
func.func @main() {
  %x = stablehlo.constant dense<[[[1], [2], [3], [4], [5]]]> : tensor<1x5x1xi32>
  %k = stablehlo.constant dense<[[[1]], [[10]], [[100]]]> : tensor<3x1x1xi32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]]}
    {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x1xi32>, tensor<3x1x1xi32>) -> tensor<1x3x1xi32>
  check.expect_eq_const %r, dense<[[[210], [432], [54]]]> : tensor<1x3x1xi32>
  return
}

// -----

// Negative padding removes.
func.func @main() {
  %x = stablehlo.constant dense<[[[1], [2], [3], [4], [5]]]> : tensor<1x5x1xi32>
  %k = stablehlo.constant dense<[[[1]], [[10]]]> : tensor<2x1x1xi32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[-1, -1]]}
    {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x1xi32>, tensor<2x1x1xi32>) -> tensor<1x2x1xi32>
  check.expect_eq_const %r, dense<[[[32], [43]]]> : tensor<1x2x1xi32>
  return
}

// -----

// lhs_dilate puts zeros between elements, rhs_dilate between those of the kernel.
func.func @main() {
  %x = stablehlo.constant dense<[[[1], [2], [3]]]> : tensor<1x3x1xi32>
  %k = stablehlo.constant dense<[[[1]], [[10]]]> : tensor<2x1x1xi32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {lhs_dilate = [2], rhs_dilate = [2]}
    {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x3x1xi32>, tensor<2x1x1xi32>) -> tensor<1x3x1xi32>
  check.expect_eq_const %r, dense<[[[21], [0], [32]]]> : tensor<1x3x1xi32>
  return
}

// -----

// Two spatial dimensions, strides of two.
func.func @main() {
  %x = stablehlo.constant dense<[[[[1], [2], [3], [4]], [[5], [6], [7], [8]], [[9], [10], [11], [12]], [[13], [14], [15], [16]]]]> : tensor<1x4x4x1xi32>
  %k = stablehlo.constant dense<[[[[1]], [[0]]], [[[0]], [[-1]]]]> : tensor<2x2x1x1xi32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2]}
    {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x4x1xi32>, tensor<2x2x1x1xi32>) -> tensor<1x2x2x1xi32>
  check.expect_eq_const %r, dense<[[[[-5], [-5]], [[-5], [-5]]]]> : tensor<1x2x2x1xi32>
  return
}

// -----

// Two feature groups: each output feature sees its own half of the input features.
func.func @main() {
  %x = stablehlo.constant dense<[[[1, 2], [3, 4]]]> : tensor<1x2x2xi32>
  %k = stablehlo.constant dense<[[[10, 100]]]> : tensor<1x1x2xi32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
    {feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<1x2x2xi32>, tensor<1x1x2xi32>) -> tensor<1x2x2xi32>
  check.expect_eq_const %r, dense<[[[10, 200], [30, 400]]]> : tensor<1x2x2xi32>
  return
}

// -----

// Two batch groups: output feature g sees batch g.
func.func @main() {
  %x = stablehlo.constant dense<[[[1], [3]], [[2], [4]]]> : tensor<2x2x1xi32>
  %k = stablehlo.constant dense<[[[10, 100]]]> : tensor<1x1x2xi32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
    {feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<2x2x1xi32>, tensor<1x1x2xi32>) -> tensor<1x2x2xi32>
  check.expect_eq_const %r, dense<[[[10, 200], [30, 400]]]> : tensor<1x2x2xi32>
  return
}

// -----

// A kernel larger than lhs: the result is empty.
func.func @main() {
  %x = stablehlo.constant dense<[[[1]]]> : tensor<1x1x1xi32>
  %k = stablehlo.constant dense<[[[1]], [[1]]]> : tensor<2x1x1xi32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
    {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x1x1xi32>, tensor<2x1x1xi32>) -> tensor<1x0x1xi32>
  check.expect_eq_const %r, dense<> : tensor<1x0x1xi32>
  return
}
