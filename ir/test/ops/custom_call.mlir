// stablehlo.custom_call: an op that the implementation knows by name.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<2xf32>) {
  // CHECK: stablehlo.custom_call @foo.bar$1(%arg0) {api_version = 4 : i32, backend_config = {n = 1 : i64}, has_side_effect = true, operand_layouts = [dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<2xf32>) -> tensor<2xf32>
  %0 = stablehlo.custom_call @foo.bar$1(%arg0) {api_version = 4 : i32, backend_config = {n = 1 : i64}, has_side_effect = true, operand_layouts = [dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: stablehlo.custom_call @"a b"(%arg0) {backend_config = "text"} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "stablehlo.custom_call"(%arg0) {call_target_name = "a b", backend_config = "text"} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- refused.mlir
// A dictionary configures calls of api_version 4 only.
func.func @refused(%arg0: tensor<f32>) {
  // expected-error @+1 {{expects a backend_config that is a string for api_version 1}}
  %0 = stablehlo.custom_call @foo(%arg0) {backend_config = {n = 1 : i64}} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// Layouts come for operands and results, or not at all.
func.func @refused(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{expects layouts of both operands and results or of neither}}
  %0 = stablehlo.custom_call @foo(%arg0) {operand_layouts = [dense<0> : tensor<1xindex>]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

//--- meaning.mlir
// @Sharding annotates a value and passes it through.
func.func @main() {
  %x = stablehlo.constant dense<[1.5, -0.0]> : tensor<2xf32>
  %r = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<2xf32>) -> tensor<2xf32>
  %expected = stablehlo.constant dense<[1.5, -0.0]> : tensor<2xf32>
  check.expect_close %r, %expected, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  // The check takes -0 for +0; 1 / x tells them apart.
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %inverse = stablehlo.divide %one, %r : tensor<2xf32>
  %expected_inverse = stablehlo.divide %one, %expected : tensor<2xf32>
  check.expect_close %inverse, %expected_inverse, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

// @shape_assertion fails where its operand is false, and returns nothing.
func.func @main() {
  %t = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.custom_call @shape_assertion(%t) {error_message = "sizes differ", has_side_effect = true} : (tensor<i1>) -> ()
  return
}
