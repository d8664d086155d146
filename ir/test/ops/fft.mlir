// stablehlo.fft: discrete Fourier transforms along the last dimensions.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<3x4xcomplex<f32>>, %arg1: tensor<8xf32>) {
  // CHECK: stablehlo.fft %arg0, type =  IFFT, length = [3, 4] : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
  %0 = stablehlo.fft %arg0, type = IFFT, length = [3, 4] : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
  // CHECK: stablehlo.fft %arg1, type =  RFFT, length = [8] : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  %1 = "stablehlo.fft"(%arg1) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>} : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  return
}

//--- refused.mlir
// (C1) There are as many dimensions as lengths.
func.func @refused(%arg0: tensor<4xcomplex<f32>>) {
  // expected-error @+2 {{expects an operand of at least 2 dimensions, but got 'tensor<4xcomplex<f32>>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %arg0, type = FFT, length = [4, 4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

// (C2) RFFT transforms real numbers.
func.func @refused(%arg0: tensor<4xcomplex<f32>>) {
  // expected-error @+2 {{RFFT expects an operand of f32 or f64, but got 'tensor<4xcomplex<f32>>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %arg0, type = RFFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  return
}

// -----

// (C4) The length is the size of the real tensor.
func.func @refused(%arg0: tensor<4xf32>) {
  // expected-error @+2 {{RFFT expects innermost sizes equal to fft_length [6], but got [4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %arg0, type = RFFT, length = [6] : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

// (C5) RFFT of 8 numbers has 5.
func.func @refused(%arg0: tensor<8xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<5xcomplex<f32>>' are incompatible with return type(s) of operation 'tensor<8xcomplex<f32>>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %arg0, type = RFFT, length = [8] : (tensor<8xf32>) -> tensor<8xcomplex<f32>>
  return
}

//--- meaning.mlir
// FFT: the sum of x[k] * exp(-2 pi i j k / 4), not scaled.
func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 0.0), (2.0, -1.0), (0.0, 0.5), (-1.0, 3.0)]> : tensor<4xcomplex<f32>>
  %r = stablehlo.fft %x, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %expected = stablehlo.constant dense<[(2.0, 2.5), (-3.0, -3.5), (0.0, -1.5), (5.0, 2.5)]> : tensor<4xcomplex<f32>>
  check.expect_almost_eq %r, %expected, tolerance = 1.0e-6 : tensor<4xcomplex<f32>>
  return
}

// -----

// IFFT: the inverse, divided by the length.
func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 0.0), (2.0, -1.0), (0.0, 0.5), (-1.0, 3.0)]> : tensor<4xcomplex<f32>>
  %r = stablehlo.fft %x, type = IFFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0.5, 0.625), (1.25, 0.625), (0.0, -0.375), (-0.75, -0.875)]> : tensor<4xcomplex<f32>>
  check.expect_almost_eq %r, %expected, tolerance = 1.0e-6 : tensor<4xcomplex<f32>>
  return
}

// -----

// RFFT: the first n / 2 + 1 of them, of an odd length too.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %r = stablehlo.fft %x, type = RFFT, length = [3] : (tensor<3xf32>) -> tensor<2xcomplex<f32>>
  %expected = stablehlo.constant dense<[(7.0, 0.0), (-2.0, 1.7320508)]> : tensor<2xcomplex<f32>>
  check.expect_almost_eq %r, %expected, tolerance = 1.0e-6 : tensor<2xcomplex<f32>>
  return
}

// -----

// IRFFT: the inverse of RFFT.
func.func @main() {
  %x = stablehlo.constant dense<[(4.0, 0.0), (-3.0, -5.0), (6.0, 0.0)]> : tensor<3xcomplex<f32>>
  %r = stablehlo.fft %x, type = IRFFT, length = [4] : (tensor<3xcomplex<f32>>) -> tensor<4xf32>
  %expected = stablehlo.constant dense<[1.0, 2.0, 4.0, -3.0]> : tensor<4xf32>
  check.expect_almost_eq %r, %expected, tolerance = 1.0e-6 : tensor<4xf32>
  return
}

// -----

// Two dimensions.
func.func @main() {
  %x = stablehlo.constant dense<[[(1.0, 0.0), (2.0, 0.0)], [(3.0, 0.0), (0.0, 5.0)]]> : tensor<2x2xcomplex<f32>>
  %r = stablehlo.fft %x, type = FFT, length = [2, 2] : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
  %expected = stablehlo.constant dense<[[(6.0, 5.0), (2.0, -5.0)], [(0.0, -5.0), (-4.0, 5.0)]]> : tensor<2x2xcomplex<f32>>
  check.expect_almost_eq %r, %expected, tolerance = 1.0e-6 : tensor<2x2xcomplex<f32>>
  return
}

// -----

// With more dimensions than lengths each row is transformed by itself.
func.func @main() {
  %x = stablehlo.constant dense<[[(1.0, 0.0), (2.0, 0.0)], [(3.0, 0.0), (0.0, 5.0)]]> : tensor<2x2xcomplex<f32>>
  %r = stablehlo.fft %x, type = FFT, length = [2] : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
  %expected = stablehlo.constant dense<[[(3.0, 0.0), (-1.0, 0.0)], [(3.0, 5.0), (3.0, -5.0)]]> : tensor<2x2xcomplex<f32>>
  check.expect_almost_eq %r, %expected, tolerance = 1.0e-6 : tensor<2x2xcomplex<f32>>
  return
}
