// RUN: opbyop-opt %s -split-input-file -verify-diagnostics

func.func @axis(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{has no axis 'z' in its mesh}}
  %0 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<
    mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "z">]>
  } : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sub_axis(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{expects sub-axis (2)4 of 'x' to divide the axis of size 4}}
  %0 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<
    mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 4>]>,
    axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (2)4>]>
  } : (tensor<2xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @axis_twice(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{uses axis 'x' of its mesh twice}}
  %0 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<
    mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 4>]>,
    axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>, #stablehlo.axis_ref<name = "x">]>
  } : (tensor<2xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @device_ids(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{expects one device id per place of the mesh, 2, but got 3}}
  %0 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<
    mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<[0, 1, 2]> : tensor<3xi64>>,
    axes = [#stablehlo.axis_ref<name = "x">]>
  } : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scattered_size(%arg0: tensor<4xf32>) {
  // expected-error @+1 {{expects a result of size 4 / 2 along scatter_dimension, but got 1}}
  %0 = "stablehlo.reduce_scatter"(%arg0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<1xf32>
  return
}
