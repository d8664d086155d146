// RUN: opbyop-opt %s --split-input-file --opbyop-stablehlo-to-linalg | FileCheck %s

// Threefry has twenty rounds; two neighbours share a block.
// CHECK-LABEL: func @main
func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>) {
  // CHECK: tensor.from_elements
  // CHECK: linalg.generic
  // CHECK: arith.remui
  // CHECK-COUNT-20: arith.xori
  // CHECK: arith.select
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return %0, %1 : tensor<2xui64>, tensor<4xui32>
}

// -----

// A state of three words selects Philox, whose counter carries over to the next word.
// CHECK-LABEL: func @main
func.func @main(%s: tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui64>) {
  // CHECK: arith.cmpi ult
  // CHECK: tensor.from_elements %{{.*}}, %{{.*}}, %{{.*}} : tensor<3xi64>
  // CHECK: linalg.generic
  // CHECK-COUNT-20: arith.muli {{.*}} : i64
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui64>)
  return %0, %1 : tensor<3xui64>, tensor<5xui64>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<f32>, %b: tensor<f32>, %s: tensor<1xi64>) -> tensor<9xf32> {
  // CHECK: math.log1p
  // CHECK: math.sqrt
  // CHECK: math.cos
  %0 = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<i32>, %b: tensor<i32>, %s: tensor<1xi64>) -> tensor<9xi32> {
  // CHECK: arith.mului_extended
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<9xi32>
  return %0 : tensor<9xi32>
}
