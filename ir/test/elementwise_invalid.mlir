// RUN: opbyop-opt %s -split-input-file -verify-diagnostics

func.func @element_types(%arg0: tensor<2xf32>, %arg1: tensor<2xi32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{requires the same element type for all operands}}
  %0 = stablehlo.add %arg0, %arg1 : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @shapes(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{requires compatible shapes, but dimension 0 has the sizes 2 and 3}}
  %0 = stablehlo.add %arg0, %arg1 : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @operand_count(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{1 operands present, but expected 2}}
  %0 = stablehlo.abs %arg0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @accuracy(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{tolerances if and only if its mode is TOLERANCE}}
  %0 = stablehlo.tanh %arg0 {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  return
}

// -----

func.func @bits(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{8 * 3 bits are not 32}}
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<2xf32>) -> tensor<2x3xi8>
  return
}

// -----

func.func @clamp(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects min to be a scalar or of the operand's shape}}
  %0 = stablehlo.clamp %arg1, %arg0, %arg0 : (tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @complex_comparison(%arg0: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{has compare_type TOTALORDER, which does not suit elements of 'complex<f32>'}}
  %0 = stablehlo.compare EQ, %arg0, %arg0, TOTALORDER : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  return
}

// -----

func.func @complex(%arg0: tensor<2xf32>, %arg1: tensor<2xf64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects operands of the same element type}}
  %0 = "stablehlo.complex"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return
}
