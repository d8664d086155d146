// Attributes, types and ops of unknown dialects are kept if they are in generic form. MHLO programs are refused, and so
// are ops in the custom syntax of an unknown dialect.
// RUN: split-file %s %t
// RUN: opbyop-opt %t/builtin.mlir | FileCheck %t/builtin.mlir
// RUN: opbyop-opt %t/opaque.mlir | FileCheck %t/opaque.mlir
// RUN: not opbyop-opt %t/syntax.mlir 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: opbyop-opt: {{.*}}syntax.mlir:2:{{.*}}: dialect 'ttir' is not one this reader knows
// SYNTAX-SAME: what is written in generic form is read
// RUN: not opbyop-opt %t/mhlo.mlir 2>&1 | FileCheck %s --check-prefix=MHLO
// MHLO: opbyop-opt: {{.*}}mhlo.mlir:2:{{.*}}: operations of dialect 'mhlo' make this an MHLO program

//--- builtin.mlir
// CHECK: module @jit_f attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, tf.versions = {producer = 1 : i32}}
module @jit_f attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, tf.versions = {producer = 1 : i32}} {
  // CHECK: %arg0: tensor<2xf32> {jax.buffer_donor = true, mhlo.layout_mode = "default", tf.aliasing_output = 0 : i32}
  // CHECK-SAME: -> (tensor<2xf32> {jax.result_info = "result"})
  func.func @main(%a: tensor<2xf32> {jax.buffer_donor = true, mhlo.layout_mode = "default", tf.aliasing_output = 0 : i32}) -> (tensor<2xf32> {jax.result_info = "result"}) {
    // CHECK: {mhlo.frontend_attributes = {a = "b"}, mhlo.sharding = "{replicated}"}
    %0 = stablehlo.add %a, %a {mhlo.frontend_attributes = {a = "b"}, mhlo.sharding = "{replicated}"} : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

//--- opaque.mlir
// CHECK: {ttcore.argument_type = #ttcore.argument_type<input>}
func.func @main(%a: tensor<2xf32> {ttcore.argument_type = #ttcore.argument_type<input>}) {
  // CHECK: "ttir.add"(%{{.*}}) {a = 1 : i32} : (tensor<2xf32>) -> !ttir.token<1>
  %0 = "ttir.add"(%a) {a = 1 : i32} : (tensor<2xf32>) -> !ttir.token<1>
  return
}

//--- syntax.mlir
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = ttir.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- mhlo.mlir
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = mhlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
