// RUN: opbyop-opt %s | FileCheck %s
// RUN: opbyop-opt %s | opbyop-opt | FileCheck %s
// RUN: opbyop-opt --mlir-print-op-generic %s | opbyop-opt | FileCheck %s

// CHECK-LABEL: func @loop
func.func @loop(%arg0: tensor<i32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK:      stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<i32>, tensor<4xf32> attributes {key = "value"}
  // CHECK-NEXT: cond {
  // CHECK-NEXT:   stablehlo.compare LT, %iterArg, %iterArg : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // CHECK:      } do {
  // CHECK-NEXT:   stablehlo.return %iterArg, %iterArg_0 : tensor<i32>, tensor<4xf32>
  %0:2 = stablehlo.while (%i = %arg0, %x = %arg1) : tensor<i32>, tensor<4xf32> attributes {key = "value"}
  cond {
    %1 = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    stablehlo.return %i, %x : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

// CHECK-LABEL: func @branch
func.func @branch(%arg0: tensor<i1>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: "stablehlo.if"(%arg0) ({
  %0 = "stablehlo.if"(%arg0) ({
    stablehlo.return %arg1 : tensor<4xf32>
  }, {
    %1 = stablehlo.negate %arg1 : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @barrier
func.func @barrier(%arg0: tensor<f32>, %arg1: !stablehlo.token) {
  // CHECK: stablehlo.optimization_barrier()
  stablehlo.optimization_barrier()
  // CHECK: stablehlo.optimization_barrier %arg0, %arg1 : tensor<f32>, !stablehlo.token
  %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<f32>, !stablehlo.token
  // CHECK: stablehlo.after_all %arg1, %arg1 : !stablehlo.token
  %1 = stablehlo.after_all %arg1, %arg1 : !stablehlo.token
  return
}

func.func private @impl(%arg0: tensor<f32>) -> tensor<f32> {
  return %arg0 : tensor<f32>
}

// CHECK-LABEL: func @composite
func.func @composite(%arg0: tensor<f32>) -> tensor<f32> {
  // CHECK: stablehlo.composite "chlo.erf" %arg0 {composite_attributes = {n = 1 : i64}, decomposition = @impl, version = 1 : i32} : (tensor<f32>) -> tensor<f32>
  %0 = stablehlo.composite "chlo.erf" %arg0 {composite_attributes = {n = 1 : i64}, decomposition = @impl, version = 1 : i32} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
