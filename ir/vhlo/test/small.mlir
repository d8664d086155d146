// The content of small_0_9_0.mlirbc and small_1_17_0.mlirbc. They were serialised from this text by a StableHLO of their
// producers' kind (portable artifacts of versions 0.9.0 and 1.17.0).
module @small attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32> {jax.buffer_donor = true}, %arg1: tensor<3x4xf32>, %arg2: tensor<1x8x8x2xf32>, %arg3: tensor<3x3x2x4xf32>) -> (tensor<2x4xf32> {jax.result_info = "result"}, tensor<1x4x4x4xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %1 = func.call @relu(%0) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [0, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x4x4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = "stablehlo.reduce"(%1, %cst) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %8 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %c = stablehlo.constant dense<[[0], [1]]> : tensor<2x1xi32>
    %4 = "stablehlo.gather"(%3, %c) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<2xf32>, tensor<2x1xi32>) -> tensor<2xf32>
    %c_0 = stablehlo.constant dense<[true, false, true, true, false, true, true, false, true]> : tensor<9xi1>
    %c_1 = stablehlo.constant dense<[1, -2, 3]> : tensor<3xi4>
    %cst_2 = stablehlo.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<complex<f32>>
    %5 = stablehlo.slice %4 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<1xf32>) -> tensor<2x1xf32>
    %7 = stablehlo.custom_call @annotate(%6) {backend_config = "x", mhlo.frontend_attributes = {a = "b"}} : (tensor<2x1xf32>) -> tensor<2x1xf32>
    return %1, %2 : tensor<2x4xf32>, tensor<1x4x4x4xf32>
  }
  func.func private @relu(%arg0: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<2x4xf32>
    %0 = stablehlo.compare GT, %arg0, %cst : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
    %1 = stablehlo.select %0, %arg0, %cst : tensor<2x4xi1>, tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
}
