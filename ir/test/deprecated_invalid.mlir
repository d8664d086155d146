// RUN: opbyop-opt %s -split-input-file -verify-diagnostics

func.func @einsum_sizes(%arg0: tensor<2x3xf32>, %arg1: tensor<4x5xf32>) {
  // expected-error @+1 {{expects equal sizes for label 'b', but got 3 and 4}}
  %0 = stablehlo.einsum %arg0, %arg1, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @einsum_rank(%arg0: tensor<2x3xf32>, %arg1: tensor<3x5xf32>) {
  // expected-error @+1 {{expects one label per dimension in einsum_config, but got 'abc' for 'tensor<2x3xf32>'}}
  %0 = stablehlo.einsum %arg0, %arg1, config = "abc,bc->ac" : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @einsum_result(%arg0: tensor<2x3xf32>, %arg1: tensor<3x5xf32>) {
  // expected-error @+1 {{has label 'd' in the result of einsum_config only}}
  %0 = stablehlo.einsum %arg0, %arg1, config = "ab,bc->ad" : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @einsum_form(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{expects an einsum_config of the form 'a->a', but got 'ab,c->a'}}
  %0 = stablehlo.unary_einsum %arg0, config = "ab,c->a" : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @torch_index_select_dim(%arg0: tensor<5x1xf32>, %arg1: tensor<2xi32>) {
  // expected-error @+1 {{expects dim to be in range [0, 2), but got 2}}
  %0 = "stablehlo.torch_index_select"(%arg0, %arg1) {dim = 2 : i64, batch_dims = 0 : i64} : (tensor<5x1xf32>, tensor<2xi32>) -> tensor<5x2xf32>
  return
}

// -----

func.func @torch_index_select_result(%arg0: tensor<5x1xf32>, %arg1: tensor<2xi32>) {
  // expected-error @+1 {{has result type 'tensor<3x1xf32>', but its operands imply 'tensor<2x1xf32>'}}
  %0 = "stablehlo.torch_index_select"(%arg0, %arg1) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<5x1xf32>, tensor<2xi32>) -> tensor<3x1xf32>
  return
}
