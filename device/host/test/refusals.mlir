// RUN: opbyop-opt %s --split-input-file --verify-diagnostics --opbyop-stablehlo-to-linalg

func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{unsupported: 'stablehlo.custom_call': the host has no code for the custom call target 'lapack_sgetrf'}}
  %0 = stablehlo.custom_call @lapack_sgetrf(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{unsupported: @main: tensor<?xf32> has a dynamic dimension}}
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}

// -----

// expected-error @below {{unsupported: @main: tensor<4xf128> has an element type that LLVM cannot compute with}}
func.func @main(%a: tensor<4xf128>) -> tensor<4xf128> {
  return %a : tensor<4xf128>
}

// -----

func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) -> tensor<2xf32> {
  // expected-error @below {{unsupported: 'stablehlo.reduce': its region computes 'stablehlo.custom_call'}}
  %0 = stablehlo.reduce(%a init: %b) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %1 = stablehlo.custom_call @elsewhere(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<2xf32>
}

// -----

func.func @main(%t: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.create_token : !stablehlo.token
  // expected-error @below {{unsupported: 'stablehlo.infeed': the host target runs one process, which has no outside to exchange data with}}
  %1:2 = "stablehlo.infeed"(%0) <{infeed_config = "", layout = [[0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return %1#0 : tensor<4xf32>
}

// -----

func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{unsupported: 'stablehlo.dot_general': its algorithm sums in f64, which the host does of f64 only}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f64, rhs_precision_type = f64, accumulation_type = f64, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
