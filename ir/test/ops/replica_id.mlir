// stablehlo.replica_id: the replica of the current process.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/form.mlir | opbyop-opt | FileCheck %t/form.mlir
// RUN: opbyop-opt %t/refused.mlir --split-input-file --verify-diagnostics
// RUN: opbyop eval %t/meaning.mlir --split-input-file --quiet

//--- form.mlir
// CHECK-LABEL: func @form
func.func @form() {
  // CHECK: stablehlo.replica_id : tensor<ui32>
  %0 = stablehlo.replica_id : tensor<ui32>
  // CHECK: stablehlo.replica_id : tensor<ui32>
  %1 = "stablehlo.replica_id"() : () -> tensor<ui32>
  return
}

//--- refused.mlir
// (O1) The number must be a ui32.
func.func @refused() {
  // expected-error @+1 {{result #0 must be 0D tensor of 32-bit unsigned integer values, but got 'tensor<i32>'}}
  %0 = stablehlo.replica_id : tensor<i32>
  return
}

//--- meaning.mlir
// Rows of the grid are replicas, columns are partitions.
func.func @process() -> tensor<ui32> {
  %r = stablehlo.replica_id : tensor<ui32>
  return %r : tensor<ui32>
}
func.func @main() {
  %r:4 = "interpreter.run_parallel"() {programs = [[@process, @process], [@process, @process]]} : () -> (tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>)
  check.expect_eq_const %r#0, dense<0> : tensor<ui32>
  check.expect_eq_const %r#1, dense<0> : tensor<ui32>
  check.expect_eq_const %r#2, dense<1> : tensor<ui32>
  check.expect_eq_const %r#3, dense<1> : tensor<ui32>
  return
}

// -----

// A program that runs alone has number 0.
func.func @main() {
  %r = stablehlo.replica_id : tensor<ui32>
  check.expect_eq_const %r, dense<0> : tensor<ui32>
  return
}
