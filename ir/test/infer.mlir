// RUN: opbyop-opt %s --opbyop-test-infer --allow-unregistered-dialect | FileCheck %s

// Inferred types and shapes of ops: as precise as those of their operands, with bounds.

// CHECK-LABEL: @merged
func.func @merged(%arg0: tensor<2x?x?xf32, #stablehlo.bounds<?, ?, 5>>, %arg1: tensor<?x3x?xf32, #stablehlo.bounds<?, ?, 4>>) {
  %0 = stablehlo.add %arg0, %arg1 : (tensor<2x?x?xf32, #stablehlo.bounds<?, ?, 5>>, tensor<?x3x?xf32, #stablehlo.bounds<?, ?, 4>>) -> tensor<?x?x?xf32>
  // CHECK: types0 = tensor<2x3x?xf32, #stablehlo.bounds<?, ?, 4>>
  "hlo_test_infer.get_return_types"(%0) : (tensor<?x?x?xf32>) -> ()
  return
}

// CHECK-LABEL: @convolution
func.func @convolution(%arg0: tensor<?x8x8x6xf32, #stablehlo.bounds<4, ?, ?, ?>>, %arg1: tensor<3x3x6x16xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {feature_group_count = 1 : i64, batch_group_count = 1 : i64}
    : (tensor<?x8x8x6xf32, #stablehlo.bounds<4, ?, ?, ?>>, tensor<3x3x6x16xf32>) -> tensor<?x6x6x16xf32>
  // CHECK: types0 = tensor<?x6x6x16xindex, #stablehlo.bounds<4, ?, ?, ?>>
  "hlo_test_infer.get_return_type_components"(%0) : (tensor<?x6x6x16xf32>) -> ()
  return
}

// CHECK-LABEL: @transposed_axis
func.func @transposed_axis(%arg0: tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  // CHECK: types0 = tensor<3x2x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>
  "hlo_test_infer.get_return_types"(%0) : (tensor<3x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) -> ()
  return
}

// CHECK-LABEL: @padded
// CHECK-SAME: %[[ARG0:.*]]: tensor<?xf32>
func.func @padded(%arg0: tensor<?xf32>, %arg1: tensor<f32>) -> tensor<1xindex> {
  // CHECK: %[[SIZE:.*]] = tensor.dim %[[ARG0]]
  // CHECK: %[[GAPS:.*]] = arith.select
  // CHECK: %[[INNER:.*]] = arith.muli %{{.*}}, %[[GAPS]]
  // CHECK: %[[WIDE:.*]] = arith.addi %[[INNER]], %[[SIZE]]
  // CHECK: arith.addi %[[WIDE]]
  %0 = stablehlo.pad %arg0, %arg1, low = [1], high = [2], interior = [3] : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = "hlo_test_infer.reify_return_type_shapes"(%0) : (tensor<?xf32>) -> tensor<1xindex>
  return %1 : tensor<1xindex>
}

// CHECK-LABEL: @shape_operand
// CHECK-SAME: %[[ARG0:.*]]: tensor<?xf32>, %[[ARG1:.*]]: tensor<2xi32>
func.func @shape_operand(%arg0: tensor<?xf32>, %arg1: tensor<2xi32>) -> tensor<2xindex> {
  // CHECK: %[[SHAPE:.*]] = arith.index_cast %[[ARG1]] : tensor<2xi32> to tensor<2xindex>
  // CHECK: return %[[SHAPE]]
  %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %1 = "hlo_test_infer.reify_return_type_shapes"(%0) : (tensor<?x?xf32>) -> tensor<2xindex>
  return %1 : tensor<2xindex>
}
