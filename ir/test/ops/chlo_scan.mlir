// chlo.scan: carries a state along a dimension, and collects what a body makes of it and of each slice.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<3xi32>, %arg1: tensor<i32>) {
  // CHECK: chlo.scan(%arg0) inits (%arg1) dimension = 0 attributes {is_reverse = true} {
  %0:2 = "chlo.scan"(%arg0, %arg1) <{dimension = 0 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%e: tensor<i32>, %carry: tensor<i32>):
    %s = stablehlo.add %e, %carry : tensor<i32>
    stablehlo.return %s, %s : tensor<i32>, tensor<i32>
  }) : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>, tensor<i32>)
  return
}

//--- refused.mlir
// Outputs have as many slices as inputs.
func.func @refused(%arg0: tensor<3xi32>, %arg1: tensor<i32>) {
  // expected-error @+1 {{expects output 0 of size 3 along dimension 0, but got 4}}
  %0:2 = "chlo.scan"(%arg0, %arg1) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%e: tensor<i32>, %carry: tensor<i32>):
    %s = stablehlo.add %e, %carry : tensor<i32>
    stablehlo.return %s, %s : tensor<i32>, tensor<i32>
  }) : (tensor<3xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  return
}

// -----

// The dimension is one of the inputs.
func.func @refused(%arg0: tensor<3xi32>, %arg1: tensor<i32>) {
  // expected-error @+1 {{expects dimension to be in range [0, 1) of input 0, but got 1}}
  %0:2 = "chlo.scan"(%arg0, %arg1) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%e: tensor<i32>, %carry: tensor<i32>):
    %s = stablehlo.add %e, %carry : tensor<i32>
    stablehlo.return %s, %s : tensor<i32>, tensor<i32>
  }) : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>, tensor<i32>)
  return
}

//--- meaning.mlir
// A cumulative sum from 10, and the last state.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %c = stablehlo.constant dense<10> : tensor<i32>
  %r:2 = "chlo.scan"(%x, %c) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%e: tensor<i32>, %carry: tensor<i32>):
    %s = stablehlo.add %e, %carry : tensor<i32>
    stablehlo.return %s, %s : tensor<i32>, tensor<i32>
  }) : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>, tensor<i32>)
  check.expect_eq_const %r#0, dense<[11, 13, 16]> : tensor<3xi32>
  check.expect_eq_const %r#1, dense<16> : tensor<i32>
  return
}

// -----

// From the end.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %c = stablehlo.constant dense<10> : tensor<i32>
  %r:2 = "chlo.scan"(%x, %c) <{dimension = 0 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%e: tensor<i32>, %carry: tensor<i32>):
    %s = stablehlo.add %e, %carry : tensor<i32>
    stablehlo.return %s, %s : tensor<i32>, tensor<i32>
  }) : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>, tensor<i32>)
  check.expect_eq_const %r#0, dense<[16, 15, 13]> : tensor<3xi32>
  check.expect_eq_const %r#1, dense<16> : tensor<i32>
  return
}
