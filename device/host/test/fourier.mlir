// RUN: opbyop-opt %s --split-input-file --opbyop-stablehlo-to-linalg | FileCheck %s

// One loop nest per factor, in f64, with the roots of unity in a table.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<2x12xcomplex<f32>>) -> tensor<2x12xcomplex<f32>> {
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]
  // CHECK: tensor.extract %{{.*}} : tensor<12x2xf64>
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]
  // CHECK: tensor.extract %{{.*}} : tensor<3x2xf64>
  // CHECK-NOT: "reduction"
  %0 = stablehlo.fft %a, type = FFT, length = [12] : (tensor<2x12xcomplex<f32>>) -> tensor<2x12xcomplex<f32>>
  return %0 : tensor<2x12xcomplex<f32>>
}

// -----

// The spectrum of a real signal is cut to its first half before the other dimensions are transformed.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<3x8xf64>) -> tensor<3x5xcomplex<f64>> {
  // CHECK: tensor.extract_slice %{{.*}}[0, 0] [3, 5] [1, 1]
  // CHECK: arith.constant dense<{{.*}}> : tensor<3x2xf64>
  %0 = stablehlo.fft %a, type = RFFT, length = [3, 8] : (tensor<3x8xf64>) -> tensor<3x5xcomplex<f64>>
  return %0 : tensor<3x5xcomplex<f64>>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<0x8xcomplex<f32>>) -> tensor<0x8xcomplex<f32>> {
  // CHECK-NOT: linalg.generic
  // CHECK: linalg.fill
  %0 = stablehlo.fft %a, type = FFT, length = [8] : (tensor<0x8xcomplex<f32>>) -> tensor<0x8xcomplex<f32>>
  return %0 : tensor<0x8xcomplex<f32>>
}
