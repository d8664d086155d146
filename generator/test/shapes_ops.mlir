// A static shape is derived through every one of these ops, by its own type inference or from its operands.
// RUN: rm -rf %t && opbyop split %s --shape x=4x6xf32 --shape n=2x2xi32 --shape a=2x3x3xf32 --shape image=1x5x3xf32 -o %t | FileCheck %s --check-prefix=SAID
// RUN: cat %t/cases/*.mlir | FileCheck %s

// SAID: 1 of 29 ops stay dynamic: stablehlo.dot_general 1

func.func @main(%x: tensor<?x?xf32> loc("x"), %n: tensor<?x2xi32> loc("n"), %a: tensor<?x?x?xf32> loc("a"),
                %image: tensor<?x?x3xf32> loc("image"), %open: tensor<?x?x?xf32> loc("open")) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %y = stablehlo.abs %x : tensor<?x?xf32>

  // CHECK-DAG: "stablehlo.all_reduce"(%arg0)
  // CHECK-DAG: }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %all_reduce = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK-DAG: stablehlo.clamp %{{.*}}, %arg0, %{{.*}} : (tensor<f32>, tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  %clamp = stablehlo.clamp %zero, %x, %zero : (tensor<f32>, tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  // CHECK-DAG: "stablehlo.collective_broadcast"(%arg0) {{.*}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %broadcast = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK-DAG: stablehlo.concatenate %arg0, %arg1, dim = 1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  %concatenate = stablehlo.concatenate %x, %y, dim = 1 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK-DAG: stablehlo.convolution(%arg0, %{{.*}} : (tensor<1x5x3xf32>, tensor<3x3x2xf32>) -> tensor<1x3x2xf32>
  %kernel = stablehlo.constant dense<0.0> : tensor<3x3x2xf32>
  %convolution = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x?x3xf32>, tensor<3x3x2xf32>) -> tensor<?x?x2xf32>
  // CHECK-DAG: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1] : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x4xf32>
  %dot = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK-DAG: stablehlo.dynamic_update_slice %arg0, {{.*}} : (tensor<4x6xf32>, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  %patch = stablehlo.constant dense<0.0> : tensor<1x1xf32>
  %update = stablehlo.dynamic_update_slice %x, %patch, %one, %one : (tensor<?x?xf32>, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> tensor<?x?xf32>
  // CHECK-DAG: "stablehlo.gather"(%arg0, %arg1) {{.*}} : (tensor<4x6xf32>, tensor<2x2xi32>) -> tensor<2x3xf32>
  %gather = "stablehlo.gather"(%x, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<?x?xf32>, tensor<?x2xi32>) -> tensor<?x3xf32>
  // CHECK-DAG: "stablehlo.map"(%arg0)
  // CHECK-DAG: }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %map = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%e: tensor<f32>):
    %m = stablehlo.tanh %e : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK-DAG: stablehlo.optimization_barrier %arg0 : tensor<4x6xf32>
  %barrier = stablehlo.optimization_barrier %x : tensor<?x?xf32>
  // CHECK-DAG: stablehlo.pad %arg0, %{{.*}}, low = [1, 0], high = [0, 2], interior = [1, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<8x8xf32>
  %pad = stablehlo.pad %x, %zero, low = [1, 0], high = [0, 2], interior = [1, 0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  // CHECK-DAG: stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
  %reduce = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  // CHECK-DAG: "stablehlo.scatter"(%arg0, %arg1, %arg2)
  // CHECK-DAG: }) : (tensor<4x6xf32>, tensor<2x2xi32>, tensor<2xf32>) -> tensor<4x6xf32>
  %row = stablehlo.slice %x [0:2, 0:1] : (tensor<?x?xf32>) -> tensor<2x1xf32>
  %updates = stablehlo.reshape %row : (tensor<2x1xf32>) -> tensor<2xf32>
  %scatter = "stablehlo.scatter"(%x, %n, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    stablehlo.return %r : tensor<f32>
  }) : (tensor<?x?xf32>, tensor<?x2xi32>, tensor<2xf32>) -> tensor<?x?xf32>
  // CHECK-DAG: stablehlo.select %arg0, %arg1, %arg2 : tensor<4x6xi1>, tensor<4x6xf32>
  %pred = stablehlo.compare LT, %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xi1>
  %select = stablehlo.select %pred, %x, %y : tensor<?x?xi1>, tensor<?x?xf32>
  // CHECK-DAG: "stablehlo.sort"(%arg0)
  // CHECK-DAG: }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %sort = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %c = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK-DAG: stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %transpose = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK-DAG: "stablehlo.triangular_solve"(%arg0, %arg0) {{.*}} : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %solve = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  // Only rhs has a known batching dimension.
  // CHECK-DAG: stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<?x?x?xf32>, tensor<2x3x3xf32>) -> tensor<2x?x3xf32>
  %batched = stablehlo.dot_general %open, %a, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>

  // Dynamic forms: known operands become attributes.
  // CHECK-DAG: stablehlo.pad %arg0, %{{.*}}, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6x8xf32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %none = stablehlo.constant dense<0> : tensor<2xi32>
  %dynamic_pad = stablehlo.dynamic_pad %x, %zero, %ones, %ones, %none : (tensor<?x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK-DAG: stablehlo.slice %arg0 [1:4, 1:6:2] : (tensor<4x6xf32>) -> tensor<3x3xf32>
  %d0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %d1 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %e0 = stablehlo.reshape %d0 : (tensor<i32>) -> tensor<1xi32>
  %e1 = stablehlo.reshape %d1 : (tensor<i32>) -> tensor<1xi32>
  %limits = stablehlo.concatenate %e0, %e1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %strides = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %slice = stablehlo.real_dynamic_slice %x, %ones, %limits, %strides : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK-DAG: "stablehlo.gather"(%arg0, %arg1) {{.*}} : (tensor<4x6xf32>, tensor<2x2xi32>) -> tensor<2x6xf32>
  %row_size = stablehlo.constant dense<1> : tensor<1xi32>
  %sizes = stablehlo.concatenate %row_size, %e1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %dynamic_gather = "stablehlo.dynamic_gather"(%x, %n, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<?x?xf32>, tensor<?x2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK-DAG: stablehlo.convolution(%arg0, %{{.*}} {pad = {{\[\[}}1, 1{{\]\]}}} {{.*}} : (tensor<1x5x3xf32>, tensor<3x3x2xf32>) -> tensor<1x5x2xf32>
  %pads = stablehlo.constant dense<1> : tensor<1x2xi32>
  %dynamic_conv = "stablehlo.dynamic_conv"(%image, %kernel, %pads) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<?x?x3xf32>, tensor<3x3x2xf32>, tensor<1x2xi32>) -> tensor<?x?x2xf32>
  // CHECK-DAG: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
  %spread = stablehlo.dynamic_broadcast_in_dim %zero, %limits, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK-DAG: stablehlo.iota dim = 1 : tensor<4x6xf32>
  %iota = stablehlo.dynamic_iota %limits, dim = 1 : (tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK-DAG: stablehlo.reshape %arg0 : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
  %reshape = stablehlo.reshape %x : (tensor<?x?xf32>) -> tensor<4x?x1xf32, #stablehlo.bounds<?, 9, ?>>
  return
}
