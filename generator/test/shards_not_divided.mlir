// Shardings that are not understood, or of a dimension without elements, leave their values whole, and the split says so.
// A dimension that does not divide evenly is divided.
// RUN: rm -rf %t && opbyop split %s -q -o %t 2>&1 | FileCheck %s --check-prefix=SUMMARY
// RUN: FileCheck %s < %t/manifest.yaml

module @jit_f attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=4]>
  func.func public @main(%x: tensor<6x0xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {"data"}]>},
                         %s: tensor<4xf32> {mhlo.sharding = "{foo}"}) -> (tensor<6x0xf32>, tensor<4xf32>) {
    %0 = stablehlo.negate %x : tensor<6x0xf32>
    %1 = stablehlo.tanh %s : tensor<4xf32>
    return %0, %1 : tensor<6x0xf32>, tensor<4xf32>
  }
}

// SUMMARY: split: model {{.*}}: not all tensors are divided as it states (2 places, listed in the manifest as `not_divided`): argument 0 of @main: dimension 1 has no elements

// CHECK: not_divided: ["argument 0 of @main: dimension 1 has no elements","argument 1 of @main: mhlo.sharding = \"{foo}\" is not understood
// CHECK: id":"negate_6x0_f32_8p_
// CHECK-SAME: "shardings":{"inputs":["{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"]
// CHECK: id":"tanh_4_f32_
// CHECK-NOT: shardings
