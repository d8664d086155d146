// RUN: opbyop-opt %s --split-input-file --verify-diagnostics --opbyop-decompose | FileCheck %s

// Shardings change nothing on one device.
// CHECK-NOT:   sdy.mesh
// CHECK-LABEL: func @main
// CHECK-SAME:  (%[[A:.*]]: tensor<8xf32>)
// CHECK-NEXT:  return %[[A]]
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<8xf32>
  sdy.sharding_group %0 group_id=1 : tensor<8xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// With one device, its part of a value is the whole value.
// CHECK-LABEL: func @main
// CHECK-NEXT:  %[[SUM:.*]] = stablehlo.add
// CHECK-NEXT:  return %[[SUM]]
sdy.mesh @mesh = <["x"=1]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<8xf32>) {
    %1 = stablehlo.add %b, %b : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  // expected-error @below {{unsupported: 'sdy.all_gather': it is between 4 devices; the host is one device}}
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
