// stablehlo.unary_einsum: the deprecated einsum of one operand.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2x3xf32>) {
  // CHECK: stablehlo.unary_einsum %arg0, config = "ab->ba" : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %0 = stablehlo.unary_einsum %arg0, config = "ab->ba" : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK: stablehlo.unary_einsum %arg0, config = "ab->a" : (tensor<2x3xf32>) -> tensor<2xf32>
  %1 = "stablehlo.unary_einsum"(%arg0) {einsum_config = "ab->a"} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// There is one operand.
func.func @refused(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{expects an einsum_config of the form 'a->a', but got 'ab,c->a'}}
  %0 = stablehlo.unary_einsum %arg0, config = "ab,c->a" : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

// There is one label per dimension.
func.func @refused(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{expects one label per dimension in einsum_config, but got 'a' for 'tensor<2x3xf32>'}}
  %0 = stablehlo.unary_einsum %arg0, config = "a->a" : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

//--- meaning.mlir
// Rows are summed.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r = stablehlo.unary_einsum %x, config = "ab->a" : (tensor<2x3xi32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[6, 15]> : tensor<2xi32>
  return
}

// -----

// A transpose.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r = stablehlo.unary_einsum %x, config = "ab->ba" : (tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  return
}
