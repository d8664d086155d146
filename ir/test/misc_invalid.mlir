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
