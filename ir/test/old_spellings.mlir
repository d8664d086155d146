// Lists in the form that producers wrote until January 2024 are read in generic form and written in the current form.
// RUN: opbyop-opt %s | FileCheck %s
// RUN: opbyop-opt --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: func @old
func.func @old(%a: tensor<3x8xf32>, %s: tensor<f32>, %b: tensor<1x8x8x1xf32>, %k: tensor<3x3x1x1xf32>, %c: tensor<8xcomplex<f32>>) {
  // CHECK: stablehlo.slice %{{.*}} [0:2, 1:8:2]
  // GENERIC: "stablehlo.slice"(%{{.*}}) <{limit_indices = array<i64: 2, 8>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}>
  %0 = "stablehlo.slice"(%a) {start_indices = dense<[0, 1]> : tensor<2xi64>, limit_indices = dense<[2, 8]> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>} : (tensor<3x8xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0]
  %1 = "stablehlo.transpose"(%a) <{permutation = dense<[1, 0]> : tensor<2xi64>}> : (tensor<3x8xf32>) -> tensor<8x3xf32>
  // CHECK: stablehlo.pad %{{.*}}, low = [1, 1], high = [0, 0], interior = [0, 0]
  %2 = "stablehlo.pad"(%a, %s) {edge_padding_low = dense<1> : tensor<2xi64>, edge_padding_high = dense<0> : tensor<2xi64>, interior_padding = dense<0> : tensor<2xi64>} : (tensor<3x8xf32>, tensor<f32>) -> tensor<4x9xf32>
  // CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = []
  %3 = "stablehlo.broadcast_in_dim"(%s) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<2xf32>
  // CHECK: stablehlo.reverse %{{.*}}, dims = [0]
  %4 = "stablehlo.reverse"(%a) {dimensions = dense<0> : tensor<1xi64>} : (tensor<3x8xf32>) -> tensor<3x8xf32>
  // CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [8]
  %5 = "stablehlo.fft"(%c) {fft_length = dense<8> : tensor<1xi64>, fft_type = #stablehlo<fft_type FFT>} : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  // Booleans become an array of booleans; what is dense today stays dense.
  // CHECK: window = {stride = [1, 1], pad = {{\[\[}}1, 1], [1, 1]], reverse = [false, true]}
  // GENERIC: padding = dense<1> : tensor<2x2xi64>
  // GENERIC-SAME: window_reversal = array<i1: false, true>
  %6 = "stablehlo.convolution"(%b, %k) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, padding = dense<1> : tensor<2x2xi64>, window_reversal = dense<[false, true]> : tensor<2xi1>, window_strides = dense<1> : tensor<2xi64>} : (tensor<1x8x8x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x8x8x1xf32>
  // GENERIC: "stablehlo.reduce"(%{{.*}}) <{dimensions = array<i64: 1>}>
  %7 = "stablehlo.reduce"(%a, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    "stablehlo.return"(%z) : (tensor<f32>) -> ()
  }) {dimensions = dense<1> : tensor<1xi64>} : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
  // CHECK: window_dimensions = array<i64: 1, 2>
  %8 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    "stablehlo.return"(%z) : (tensor<f32>) -> ()
  }) {window_dimensions = dense<[1, 2]> : tensor<2xi64>, window_strides = dense<[1, 2]> : tensor<2xi64>, padding = dense<0> : tensor<2x2xi64>} : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x4xf32>
  // CHECK: chlo.broadcast_add {{.*}} {broadcast_dimensions = array<i64: 1>}
  %11 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<8xf32>
  %9 = "chlo.broadcast_add"(%a, %11) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<3x8xf32>, tensor<8xf32>) -> tensor<3x8xf32>
  // Discardable attributes stay what they are, of whatever name.
  // CHECK: a.b = dense<1> : tensor<1xi64>
  %10 = "stablehlo.negate"(%a) {a.b = dense<1> : tensor<1xi64>} : (tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}
