// By default the cases of a model with a mesh have its shardings, in the manifest; the programs are the plain ops.
// RUN: rm -rf %t && opbyop split %s -q -o %t/default && cat %t/default/manifest.yaml | FileCheck %s
// RUN: opbyop split %s --shards sharded -q -o %t/sharded && diff %t/default/manifest.yaml %t/sharded/manifest.yaml
// RUN: cat %t/default/cases/*.mlir | FileCheck %s --check-prefix=PROGRAM

module @jit_f attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=4]>
  func.func public @main(%x: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>},
                         %w: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>},
                         %s: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
    %1 = stablehlo.tanh %s : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

// CHECK: shards: sharded
// CHECK: id":"dot_general_16x32_32x8_f32_8p_
// CHECK-SAME: "grid":{"replicas":1,"partitions":8}
// CHECK-SAME: "shardings":{"inputs":["{devices=[2,4]<=[8]}","{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"],"outputs":["{devices=[2,1,4]<=[8] last_tile_dim_replicate}"],"by":"rules"}
// CHECK: id":"tanh_4_f32_
// CHECK-NOT: shardings
// PROGRAM-NOT: sharding
// PROGRAM: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x8xf32>)
// PROGRAM-NOT: mhlo.num_partitions
