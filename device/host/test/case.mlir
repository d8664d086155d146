// RUN: opbyop-opt %s --split-input-file --opbyop-decompose | FileCheck %s

// An index out of range selects the last branch.
// CHECK-LABEL: func @three
// CHECK-SAME:    %[[I:.*]]: tensor<i32>, %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>
// CHECK:         %[[ZERO:.*]] = stablehlo.constant dense<0>
// CHECK:         %[[FIRST:.*]] = stablehlo.compare EQ, %[[I]], %[[ZERO]]
// CHECK:         %[[RESULT:.*]] = "stablehlo.if"(%[[FIRST]])
// CHECK:           stablehlo.return %[[X]]
// CHECK:           %[[ONE:.*]] = stablehlo.constant dense<1>
// CHECK:           %[[SECOND:.*]] = stablehlo.compare EQ, %[[I]], %[[ONE]]
// CHECK:           %[[OTHERS:.*]] = "stablehlo.if"(%[[SECOND]])
// CHECK:             stablehlo.return %[[Y]]
// CHECK:             %[[SUM:.*]] = stablehlo.add
// CHECK:             stablehlo.return %[[SUM]]
// CHECK:           stablehlo.return %[[OTHERS]]
// CHECK:         return %[[RESULT]]
func.func @three(%i: tensor<i32>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    stablehlo.return %y : tensor<2xf32>
  }, {
    %1 = stablehlo.add %x, %y : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Only one branch can be selected.
// CHECK-LABEL: func @one
// CHECK-NOT:     stablehlo.if
// CHECK:         %[[SUM:.*]] = stablehlo.add
// CHECK:         return %[[SUM]]
func.func @one(%i: tensor<i32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.add %x, %x : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
