// RUN: opbyop-opt %s -split-input-file -verify-diagnostics

func.func @contracting(%arg0: tensor<3x4xf32>, %arg1: tensor<5x6xf32>) {
  // expected-error @+1 {{dimension 1 of lhs has 4 and dimension 0 of rhs has 5}}
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @window(%arg0: tensor<1x8x8x6xf32>, %arg1: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{has result type 'tensor<1x7x7x16xf32>', but its operands imply 'tensor<1x6x6x16xf32>'}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<1x7x7x16xf32>
  return
}

// -----

func.func @numbers(%arg0: tensor<1x8x8x6xf32>, %arg1: tensor<3x3x6x16xf32>) {
  // expected-error @+1 {{spatial dimension 0 is given twice}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x6xf32>, tensor<3x3x6x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @reducer(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects the region to take 2 parameters, but it takes 3}}
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @not_commutative(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{'stablehlo.divide' is not commutative}}
  %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.divide across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @initial_value(%arg0: tensor<4x8xf32>, %arg1: tensor<f64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects initial value 0 of the input's element type 'f32', but got 'f64'}}
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    stablehlo.return %a : tensor<f64>
  }) {dimensions = array<i64: 1>} : (tensor<4x8xf32>, tensor<f64>) -> tensor<4xf64>
  return
}
