// Branches of if and case, nested, with values captured from two levels up.
// RUN: rm -rf %t && opbyop split %s --regions=inside -q -o %t && cat %t/cases/*.mlir | FileCheck %s
// RUN: cat %t/manifest.yaml | FileCheck %s --check-prefix=ORIGIN

func.func @main(%p: tensor<i1>, %k: tensor<i32>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%k) ({
    %1 = "stablehlo.if"(%p) ({
      %2 = stablehlo.subtract %x, %y : tensor<4xf32>
      stablehlo.return %2 : tensor<4xf32>
    }, {
      stablehlo.return %y : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK: // case: case_
// CHECK: func.func @main(%arg0: tensor<i32>, %arg1: tensor<i1>, %arg2: tensor<4xf32>, %arg3: tensor<4xf32>)
// CHECK: // case: if_
// CHECK: func.func @main(%arg0: tensor<i1>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>)
// CHECK: // case: subtract_4_f32
// CHECK: func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: stablehlo.subtract %arg0, %arg1

// ORIGIN: "op":"stablehlo.subtract"
// ORIGIN-SAME: "regions":["case.0","if.true"]
