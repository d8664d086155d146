// RUN: opbyop-opt %s --split-input-file --opbyop-stablehlo-to-linalg | FileCheck %s

// The result's type determines the shape.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<1x3xf32>, %s: tensor<3xi64>) -> tensor<2x4x3xf32> {
  // CHECK-NOT: tensor.extract
  // CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<1x3xf32>)
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1, 2] : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<4x3xf32>, %s: tensor<1xi64>) -> tensor<12xf32> {
  // CHECK: tensor.collapse_shape
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<4x3xf32>, tensor<1xi64>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%s: tensor<2xi64>) -> tensor<3x4xf32> {
  // CHECK: linalg.index 1
  // CHECK: arith.sitofp
  %0 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// The source index of each element is computed at run time, and whether there is one.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<3xf32>, %p: tensor<f32>, %l: tensor<1xi64>, %h: tensor<1xi64>, %i: tensor<1xi64>) -> tensor<9xf32> {
  // CHECK: linalg.generic
  // CHECK: arith.divsi
  // CHECK: arith.cmpi ult
  // CHECK: tensor.extract %{{.*}} : tensor<3xf32>
  // CHECK: arith.select
  %0 = stablehlo.dynamic_pad %a, %p, %l, %h, %i : (tensor<3xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<9xf32>, %b: tensor<1xi64>, %e: tensor<1xi64>, %s: tensor<1xi64>) -> tensor<4xf32> {
  // CHECK: arith.muli
  // CHECK: arith.maxsi
  // CHECK: arith.minsi
  // CHECK: tensor.extract %{{.*}} : tensor<9xf32>
  %0 = stablehlo.real_dynamic_slice %a, %b, %e, %s : (tensor<9xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<5x4xf32>, %i: tensor<3x1xi32>, %s: tensor<2xi32>) -> tensor<3x2xf32> {
  // CHECK: linalg.generic
  // CHECK: arith.minsi
  // CHECK: tensor.extract %{{.*}} : tensor<5x4xf32>
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x4xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// The operand is padded as far as the windows reach; the convolution then has no padding.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<1x5x2xf32>, %k: tensor<3x2x3xf32>, %p: tensor<1x2xi64>) -> tensor<1x3x3xf32> {
  // CHECK: tensor.extract %{{.*}} : tensor<1x2xi64>
  // CHECK: tensor.empty() : tensor<1x7x2xf32>
  // CHECK: "reduction"
  %0 = "stablehlo.dynamic_conv"(%a, %k, %p) <{window_strides = array<i64: 2>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x2xf32>, tensor<3x2x3xf32>, tensor<1x2xi64>) -> tensor<1x3x3xf32>
  return %0 : tensor<1x3x3xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<5x4xf32>) -> tensor<i32> {
  // CHECK: arith.constant 4 : i32
  // CHECK: linalg.fill
  %0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<5x4xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}
