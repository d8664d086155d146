// stablehlo.real_dynamic_slice: slice by starts, limits and strides computed at run time.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form(%arg0: tensor<?xf32>, %arg1: tensor<1xi64>) {
  // CHECK: stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  // CHECK: stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %1 = "stablehlo.real_dynamic_slice"(%arg0, %arg1, %arg1, %arg1) : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

//--- refused.mlir
// There is one start per dimension.
func.func @refused(%arg0: tensor<?x?xf32>, %arg1: tensor<1xi64>) {
  // expected-error @+1 {{expects 2 elements in start_indices, but got 1}}
  %0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  return
}

// -----

// The element type is kept.
func.func @refused(%arg0: tensor<?xf32>, %arg1: tensor<1xi64>) {
  // expected-error @+1 {{expects a result of the operand's rank and element type, but got 'tensor<?xi32>' and 'tensor<?xf32>'}}
  %0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
  return
}

//--- meaning.mlir
// Every second element from 1 to before 6.
func.func @main() {
  %x = stablehlo.constant dense<[0, 10, 20, 30, 40, 50]> : tensor<6xi32>
  %start = stablehlo.constant dense<[1]> : tensor<1xi64>
  %limit = stablehlo.constant dense<[6]> : tensor<1xi64>
  %stride = stablehlo.constant dense<[2]> : tensor<1xi64>
  %d = stablehlo.real_dynamic_slice %x, %start, %limit, %stride : (tensor<6xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
  %r = stablehlo.reshape %d : (tensor<?xi32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[10, 30, 50]> : tensor<3xi32>
  return
}
