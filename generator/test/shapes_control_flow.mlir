// Shapes are derived through loops that keep them, branches and composites, but not through loops that change them.
// RUN: rm -rf %t && opbyop split %s --shape 0=4 --regions=inside -o %t | FileCheck %s --check-prefix=SAID
// RUN: cat %t/cases/*.mlir | FileCheck %s

func.func @main(%x: tensor<?xf32>, %n: tensor<i32>, %p: tensor<i1>) -> tensor<?xf32> {
  %kept:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<?xf32>
  cond {
    %c = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %w = stablehlo.tanh %v : tensor<?xf32>
    stablehlo.return %i, %w : tensor<i32>, tensor<?xf32>
  }
  %grown:2 = stablehlo.while(%i = %n, %v = %kept#1) : tensor<i32>, tensor<?xf32>
  cond {
    %c = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %w = stablehlo.concatenate %v, %v, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    stablehlo.return %i, %w : tensor<i32>, tensor<?xf32>
  }
  %chosen = "stablehlo.if"(%p) ({
    stablehlo.return %kept#1 : tensor<?xf32>
  }, {
    stablehlo.return %x : tensor<?xf32>
  }) : (tensor<i1>) -> tensor<?xf32>
  %0 = stablehlo.composite "net.act" %chosen {decomposition = @act} : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @act(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.negate %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// SAID: 3 of {{[0-9]+}} ops stay dynamic: stablehlo.concatenate 1, stablehlo.convert 1, stablehlo.while 1

// CHECK: // case: composite_net_act_4_f32
// CHECK: stablehlo.negate %arg0 : tensor<4xf32>
// CHECK: // case: concatenate_d_f32
// CHECK: stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<?xf32>
// CHECK: // case: if_
// CHECK-DAG: // case: tanh_4_f32
// CHECK-DAG: // case: while_scalar_4_i32
// CHECK-DAG: // case: while_scalar_d_i32
// RUN: opbyop split %t/cases/while_*.mlir -q -o %t/again
