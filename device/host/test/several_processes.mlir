// A collective that the host does not lower between several processes says what it needs.
// RUN: opbyop-opt %s --opbyop-lower-collectives --opbyop-stablehlo-to-linalg --verify-diagnostics

module attributes {opbyop.grid = array<i64: 2, 1>} {
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    // expected-error @below {{unsupported: 'stablehlo.all_reduce': between several processes the host needs static shapes, no dynamic root, and groups in which every process is once}}
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
