// RUN: opbyop-opt %s --split-input-file --opbyop-flatten-values | FileCheck %s

// CHECK-LABEL: func @main
// CHECK-SAME: %[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<3xi32>
func.func @main(%a: tensor<2xf32>, %b: tensor<3xi32>) -> tensor<3xi32> {
  // CHECK-NEXT: return %[[B]]
  %0 = stablehlo.tuple %a, %b : tuple<tensor<2xf32>, tensor<3xi32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2xf32>, tensor<3xi32>>) -> tensor<3xi32>
  return %1 : tensor<3xi32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%p: tensor<i1>, %a: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NOT: token
  // CHECK: %[[IF:.*]] = "stablehlo.if"
  // CHECK: stablehlo.return %{{.*}} : tensor<2xf32>
  // CHECK: stablehlo.return %{{.*}} : tensor<2xf32>
  // CHECK: (tensor<i1>) -> tensor<2xf32>
  // CHECK: return %[[IF]]
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.if"(%p) ({
    %y = stablehlo.add %a, %a : tensor<2xf32>
    stablehlo.return %y, %t : tensor<2xf32>, !stablehlo.token
  }, {
    stablehlo.return %a, %t : tensor<2xf32>, !stablehlo.token
  }) : (tensor<i1>) -> (tensor<2xf32>, !stablehlo.token)
  return %0#0 : tensor<2xf32>
}

// -----

// CHECK-LABEL: func @main
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[G:.*]] = "stablehlo.collective_broadcast"(%[[A]])
  // CHECK-NEXT: return %[[G]]
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %1 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Operands of an op that is unknown here are kept.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[T:.*]] = stablehlo.create_token
  // CHECK: "stablehlo.outfeed"(%{{.*}}, %[[T]])
  %t = stablehlo.create_token : !stablehlo.token
  %0 = "stablehlo.outfeed"(%a, %t) <{outfeed_config = ""}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %a : tensor<4xf32>
}
