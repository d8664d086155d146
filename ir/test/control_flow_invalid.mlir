// RUN: opbyop-opt %s -split-input-file -verify-diagnostics

func.func @condition(%arg0: tensor<i32>) {
  // expected-error @+1 {{expects the condition to return one 'tensor<i1>', but it returns 'tensor<i32>'}}
  %0 = stablehlo.while(%i = %arg0) : tensor<i32> cond {
    stablehlo.return %i : tensor<i32>
  } do {
    stablehlo.return %i : tensor<i32>
  }
  return
}

// -----

func.func @branches(%arg0: tensor<i1>, %arg1: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{has branches 0 and 1 that return different types, 'tensor<f32>' and nothing}}
  %0 = "stablehlo.if"(%arg0) ({
    stablehlo.return %arg1 : tensor<f32>
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

func.func @composite(%arg0: tensor<f32>) {
  // expected-error @+1 {{'missing' does not reference a valid function}}
  %0 = stablehlo.composite "chlo.erf" %arg0 {decomposition = @missing} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @composite_name(%arg0: tensor<f32>) {
  // expected-error @+1 {{expects a name of the form 'namespace.op', but got 'erf'}}
  %0 = stablehlo.composite "erf" %arg0 {decomposition = @missing} : (tensor<f32>) -> tensor<f32>
  return
}
