// RUN: opbyop-opt %s -split-input-file -verify-diagnostics

func.func @sizes(%arg0: tensor<2x3xf32>, %arg1: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{cannot broadcast sizes 3 and 4 of result dimension 1}}
  %0 = chlo.broadcast_add %arg0, %arg1 : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dimensions(%arg0: tensor<2x3xf32>, %arg1: tensor<2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects each of broadcast_dimensions to be in range [0, 2), but got 2}}
  %0 = chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64: 2>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @result(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<2x4xf32>'}}
  %0 = chlo.broadcast_add %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @comparison(%arg0: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{has compare_type UNSIGNED, which does not suit elements of 'complex<f32>'}}
  %0 = chlo.broadcast_compare %arg0, %arg0 {comparison_direction = #chlo<comparison_direction EQ>, compare_type = #chlo<comparison_type UNSIGNED>} : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  return
}

// -----

func.func @select(%arg0: tensor<3xi1>, %arg1: tensor<2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{cannot broadcast sizes 2 and 3 of result dimension 0}}
  %0 = chlo.broadcast_select %arg0, %arg1, %arg1 : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
