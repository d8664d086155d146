// RUN: opbyop-opt %s --split-input-file --opbyop-empty-signature | FileCheck %s

// CHECK-LABEL: func @main
// CHECK-SAME: (%{{.*}}: tensor<0xf32>, %{{.*}}: tensor<0xf32>, %{{.*}}: tensor<2x3xf32>) -> (tensor<0xi8>, tensor<2x3xf32>)
func.func @main(%a: tensor<3x0xf32>, %b: tensor<0xf32>, %c: tensor<2x3xf32>) -> (tensor<2x0x4xi8>, tensor<2x3xf32>) {
  // CHECK: %[[RESULT:.*]] = tensor.empty() : tensor<0xi8>
  // CHECK: return %[[RESULT]]
  %0 = tensor.empty() : tensor<2x0x4xi8>
  return %0, %c : tensor<2x0x4xi8>, tensor<2x3xf32>
}

// -----

// The body still sees the original shape.
// CHECK-LABEL: func @main
func.func @main(%a: tensor<3x0xf32>) -> tensor<index> {
  // CHECK: %[[A:.*]] = tensor.empty() : tensor<3x0xf32>
  // CHECK: tensor.dim %[[A]]
  %c1 = arith.constant 1 : index
  %d = tensor.dim %a, %c1 : tensor<3x0xf32>
  %0 = tensor.from_elements %d : tensor<index>
  return %0 : tensor<index>
}
