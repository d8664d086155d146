// Calls, multi-result ops, tuples, tokens, custom calls, and one value used twice.
// RUN: rm -rf %t && opbyop split %s -q -o %t && cat %t/cases/*.mlir | FileCheck %s

func.func @main(%x: tensor<2x3xf32>, %t: !stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token) {
  %0 = call @twice(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %s:2 = "stablehlo.sort"(%0, %x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %p = stablehlo.tuple %s#0, %s#1 : tuple<tensor<2x3xf32>, tensor<2x3xf32>>
  %e = stablehlo.get_tuple_element %p[1] : (tuple<tensor<2x3xf32>, tensor<2x3xf32>>) -> tensor<2x3xf32>
  %u = stablehlo.after_all %t, %t : !stablehlo.token
  %r = stablehlo.custom_call @net.apply(%e) {called_computations = [@twice], backend_config = "k"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r, %u : tensor<2x3xf32>, !stablehlo.token
}
func.func private @twice(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %x, %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK: // case: add_2x3_f32
// CHECK: func.func @main(%arg0: tensor<2x3xf32>)
// CHECK-NEXT: stablehlo.add %arg0, %arg0
// CHECK: // case: after_all_token
// CHECK: func.func @main(%arg0: !stablehlo.token) -> !stablehlo.token
// CHECK: // case: custom_call_net_apply_2x3_f32
// CHECK: stablehlo.custom_call @net.apply(%arg0) {backend_config = "k", called_computations = [@callee_0]}
// CHECK: func.func private @callee_0
// CHECK: // case: get_tuple_element_tuple_f32
// CHECK: func.func @main(%arg0: tuple<tensor<2x3xf32>, tensor<2x3xf32>>) -> tensor<2x3xf32>
// CHECK: // case: sort_2x3_f32
// CHECK: func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK: return %0#0, %0#1
// CHECK: // case: tuple_2x3_f32
