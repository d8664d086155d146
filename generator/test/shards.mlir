// A two-layer perceptron as JAX exports it for a mesh of 2 x 4: the batch is divided by 2, the inner dimension by 4.
// RUN: rm -rf %t && opbyop split %s --shards local -q -o %t/local && cat %t/local/manifest.yaml | FileCheck %s --check-prefix=LOCAL
// RUN: not grep -E "16x64|64x32|32x64" %t/local/manifest.yaml
// RUN: opbyop split %s --shards global -q -o %t/global && cat %t/global/manifest.yaml | FileCheck %s --check-prefix=GLOBAL
// RUN: not opbyop split %s --shards local --granularity window:2 -o %t/no 2>&1 | FileCheck %s --check-prefix=USAGE
// RUN: not opbyop split %s --shards local --after parse -o %t/no 2>&1 | FileCheck %s --check-prefix=USAGE

module @jit_mlp attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=4]>
  func.func public @main(%x: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                         %w1: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
                         %b1: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>},
                         %w2: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>})
      -> tensor<16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
    %1 = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<64xf32>) -> tensor<1x64xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x64xf32>) -> tensor<16x64xf32>
    %3 = stablehlo.add %0, %2 : tensor<16x64xf32>
    %4 = call @relu(%3) : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %5 = stablehlo.dot_general %4, %w2, contracting_dims = [1] x [0] : (tensor<16x64xf32>, tensor<64x32xf32>) -> tensor<16x32xf32>
    %6 = sdy.sharding_constraint %5 <@mesh, [{"data"}, {}]> : tensor<16x32xf32>
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<16x32xf32>, tensor<f32>) -> tensor<16xf32>
    return %7 : tensor<16xf32>
  }
  func.func private @relu(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %1 = stablehlo.maximum %x, %0 : tensor<16x64xf32>
    return %1 : tensor<16x64xf32>
  }
}

// LOCAL: shards: local
// LOCAL-DAG: id":"add_8x16_f32_
// LOCAL-DAG: id":"broadcast_in_dim_16_f32_
// LOCAL-DAG: id":"broadcast_in_dim_1x16_f32_
// LOCAL-DAG: id":"dot_general_8x16_16x32_f32_
// LOCAL-DAG: id":"dot_general_8x32_32x16_f32_
// LOCAL-DAG: id":"maximum_8x16_f32_
// LOCAL-DAG: id":"reduce_8x32_f32_
// GLOBAL-NOT: shards:
// GLOBAL: id":"add_16x64_f32_
// USAGE: --shards local: single ops get the shapes of one device; leave --granularity and --after out
