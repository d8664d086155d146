// RUN: opbyop-opt %s --split-input-file --opbyop-decompose | FileCheck %s

// Ten doublings reach 1,024 positions.
// CHECK-LABEL:    func @sum
// CHECK:          stablehlo.add
// CHECK:          stablehlo.pad %{{.*}}, %{{.*}}, low = [0, 1], high = [0, -1]
// CHECK-COUNT-9:  stablehlo.pad
// CHECK-NOT:      stablehlo.pad
// CHECK-NOT:      reduce_window
func.func @sum(%a: tensor<2x1024xf32>) -> tensor<2x1024xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<[[0, 0], [1023, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 1024>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x1024xf32>, tensor<f32>) -> tensor<2x1024xf32>
  return %0 : tensor<2x1024xf32>
}

// -----

// The maximum of those after it, from any initial value.
// CHECK-LABEL: func @maximum_from_the_end
// CHECK:       stablehlo.pad %{{.*}}, %arg1, low = [-1], high = [1]
// CHECK-NOT:   reduce_window
func.func @maximum_from_the_end(%a: tensor<1024xf32>, %init: tensor<f32>) -> tensor<1024xf32> {
  %0 = "stablehlo.reduce_window"(%a, %init) <{padding = dense<[[0, 1023]]> : tensor<1x2xi64>, window_dimensions = array<i64: 1024>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<1024xf32>, tensor<f32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}

// -----

// Narrow floats are summed in f32.
// CHECK-LABEL: func @narrow
// CHECK:       stablehlo.pad {{.*}} : (tensor<1024xf32>, tensor<f32>)
// CHECK:       stablehlo.convert {{.*}} -> tensor<1024xbf16>
func.func @narrow(%a: tensor<1024xbf16>) -> tensor<1024xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<[[1023, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 1024>}> ({
  ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
    %1 = stablehlo.add %x, %y : tensor<bf16>
    stablehlo.return %1 : tensor<bf16>
  }) : (tensor<1024xbf16>, tensor<bf16>) -> tensor<1024xbf16>
  return %0 : tensor<1024xbf16>
}

// -----

// A sum from an initial value that is not known to be 0 has it once for each position before the first element.
// CHECK-LABEL: func @unknown_start
// CHECK:       reduce_window
func.func @unknown_start(%a: tensor<1024xf32>, %init: tensor<f32>) -> tensor<1024xf32> {
  %0 = "stablehlo.reduce_window"(%a, %init) <{padding = dense<[[1023, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 1024>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<1024xf32>, tensor<f32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}

// -----

// A window of another length.
// CHECK-LABEL: func @moving_sum
// CHECK:       reduce_window
func.func @moving_sum(%a: tensor<2048xf32>) -> tensor<2048xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<[[1023, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 1024>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2048xf32>, tensor<f32>) -> tensor<2048xf32>
  return %0 : tensor<2048xf32>
}
