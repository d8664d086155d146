// RUN: opbyop-opt %s -split-input-file -verify-diagnostics

func.func @broadcast(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{expects operand dimension 0 of size 3 to be 1 or the size of result dimension 1, 4}}
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @concatenate(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{operands 0 and 1 have sizes 3 and 4 in dimension 1}}
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @pad(%arg0: tensor<3xf32>, %arg1: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{pads dimension 0 to the negative size -2}}
  %0 = stablehlo.pad %arg0, %arg1, low = [-5], high = [0], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reshape(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{expects as many result elements as operand elements, 3, but got 4}}
  %0 = stablehlo.reshape %arg0 : (tensor<3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @slice(%arg0: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects 0 <= start <= limit <= 3 in dimension 0, but got start 1 and limit 4}}
  %0 = stablehlo.slice %arg0 [1:4] : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @transpose(%arg0: tensor<3x4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<4x3xf32>' are incompatible with return type(s) of operation 'tensor<3x4xf32>'}}
  %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather(%arg0: tensor<3x4xi32>, %arg1: tensor<2x1xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects slice size 1 to be in range [0, 4], but got 5}}
  %0 = "stablehlo.gather"(%arg0, %arg1) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 5>
  } : (tensor<3x4xi32>, tensor<2x1xi64>) -> tensor<2x5xi32>
  return
}

// -----

func.func @sort(%arg0: tensor<16xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects a comparator of 2 parameters, but it takes 1}}
  %0 = "stablehlo.sort"(%arg0) ({
  ^bb0(%arg1: tensor<f32>):
    %1 = stablehlo.compare GT, %arg1, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<16xf32>) -> tensor<16xf32>
  return
}
