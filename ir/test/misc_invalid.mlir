// RUN: opbyop-opt %s -split-input-file -verify-diagnostics

func.func @constant() {
  // expected-error @+1 {{has a value of type 'tensor<2xi32>', but the result type 'tensor<3xi32>'}}
  %0 = "stablehlo.constant"() {value = dense<1> : tensor<2xi32>} : () -> tensor<3xi32>
  return
}

// -----

func.func @iota() {
  // expected-error @+1 {{expects iota_dimension to be in range [0, 1), but got 1}}
  %0 = stablehlo.iota dim = 1 : tensor<3xi32>
  return
}

// -----

func.func @config(%arg0: tensor<f32>) {
  // expected-error @+1 {{expects a backend_config that is a string for api_version 1}}
  %0 = stablehlo.custom_call @foo(%arg0) {backend_config = {n = 1 : i64}} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// expected-error @+1 {{expected as many bounds as dimensions, found 1 for rank 2}}
func.func @bounds(%arg0: tensor<?x?xf32, #stablehlo.bounds<3>>) {
  return
}

// -----

func.func @groups(%arg0: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{has replica id 1 twice in replica_groups}}
  %0 = "stablehlo.all_reduce"(%arg0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @attribute(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{unknown attribute 'nonsense' of dialect 'stablehlo'}}
  %0 = stablehlo.abs %arg0 {key = #stablehlo.nonsense<1>} : tensor<3xf32>
  return
}

// -----

func.func @rng(%arg0: tensor<i32>, %arg1: tensor<1xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects floating-point operands for a NORMAL distribution}}
  %0 = stablehlo.rng %arg0, %arg0, %arg1, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<3xi32>
  return
}

// -----

func.func @rng_state(%arg0: tensor<3xui64>) {
  // expected-error @+1 {{expects an initial state of 2 elements for THREE_FRY, but got 3}}
  %0, %1 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2xui32>)
  return
}

// -----

func.func @batch_norm(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects the same element type throughout}}
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg1, %arg1, %arg1) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3xf32>
  return
}
