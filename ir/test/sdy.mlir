// RUN: opbyop-opt %s | FileCheck %s
// RUN: opbyop-opt %s | opbyop-opt | FileCheck %s
// RUN: opbyop-opt --mlir-print-op-generic %s | opbyop-opt | FileCheck %s
// RUN: opbyop-opt --emit-bytecode %s | opbyop-opt | FileCheck %s

// CHECK: sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @m = <["x"=2, "y"=4]>
// CHECK: sdy.mesh @empty = <[]>
sdy.mesh @empty = <[]>
// CHECK: sdy.mesh @third = <[], device_ids=[3]>
sdy.mesh @third = #sdy.mesh<[], device_ids=[3]>
// CHECK: sdy.mesh @turned = <["x"=2], device_ids=[1, 0]>
sdy.mesh @turned = <["x"=2], device_ids=[1,0]>
// Devices in order are the default.
// CHECK: sdy.mesh @straight = <["x"=2]>
sdy.mesh @straight = <["x"=2], device_ids=[0, 1]>

// CHECK-LABEL: func @shardings
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}], replicated={"y"}>}
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x", "y":(1)2}>}
func.func @shardings(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}], replicated={"y"}>},
                     %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x", "y":(1)2}>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@empty, [{}, {}]>}) {
  // CHECK: sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
  %c = sdy.constant dense<1.0> : tensor<8x8xf32>
  // CHECK: sdy.constant {foo.bar = 1 : i32} dense<[1, 2]> : tensor<2xi64>
  %d = sdy.constant {foo.bar = 1 : i32} dense<[1, 2]> : tensor<2xi64>
  // CHECK: sdy.sharding_constraint %{{.*}} <@m, [{"x", "y":(1)2, ?}p1, {"y":(2)2}]> : tensor<8x8xf32>
  %0 = sdy.sharding_constraint %a <@m, [{"x","y":(1)2,?}p1, {"y":(2)2}]> : tensor<8x8xf32>
  // CHECK: sdy.sharding_constraint %{{.*}} <mesh<["q"=2]>, [{"q"}, {?}p0]> {u} : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %b <mesh<["q"=2]>, [{"q"}, {?}p0]> {u} : tensor<8x8xf32>
  // CHECK: sdy.reshard %{{.*}} <@m, [{"x"}, {"y"}]> {a.b = 2 : i8} : tensor<8x8xf32>
  %2 = sdy.reshard %0 <@m, [{"x"}, {"y"}]> {a.b = 2 : i8} : tensor<8x8xf32>
  // CHECK: sdy.sharding_group %{{.*}} group_id=21 : tensor<8x8xf32>
  sdy.sharding_group %2 group_id=21 : tensor<8x8xf32>
  // CHECK: sdy.propagation_barrier %{{.*}} allowed_direction=BACKWARD : tensor<8x8xf32>
  %3 = sdy.propagation_barrier %2 allowed_direction=BACKWARD : tensor<8x8xf32>
  // CHECK: sdy.data_flow_edge %{{.*}} sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  %4 = sdy.data_flow_edge %3 sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.data_flow_edge %{{[0-9]+}} : tensor<8x8xf32>
  %5 = sdy.data_flow_edge %4 : tensor<8x8xf32>
  // CHECK: sdy.func_data_flow_edge
  %6 = sdy.func_data_flow_edge %5 : tensor<8x8xf32>
  // CHECK: stablehlo.add
  // CHECK-SAME: {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y", ?}], unreduced={"x"}>]>,
  // CHECK-SAME: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8}, custom>}
  %7 = stablehlo.add %6, %6 {
    sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y",?}], unreduced={"x"}>]>,
    sdy.sharding_rule = #sdy.op_sharding_rule<([i,j],[i,j])->([i,j]) {i=8,j=8}, custom>} : tensor<8x8xf32>
  return %7 : tensor<8x8xf32>
}

// A mesh without axes is of one device: a sharding on it has no dimensions, whatever the rank, and an op without results
// may have one.
// CHECK-LABEL: func @maximal
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@third, []>}
func.func @maximal(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@third, []>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@third, []>}) {
  // CHECK: sdy.sharding_constraint %arg0 <@third, []> : tensor<8x8xf32>
  %0 = sdy.sharding_constraint %a <@third, []> : tensor<8x8xf32>
  // CHECK: sdy.sharding = #sdy.sharding_per_value<[<@third, []>]>
  stablehlo.custom_call @log(%0) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@third, []>]>} : (tensor<8x8xf32>) -> ()
  // CHECK: sdy.sharding = #sdy.sharding_per_value<[]>
  stablehlo.custom_call @log(%0) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[]>} : (tensor<8x8xf32>) -> ()
  // CHECK: sdy.sharding = #sdy.sharding_per_value<[<@third, []>, <@m, [{"x"}]>]>
  %1:2 = stablehlo.custom_call @host(%0) {sdy.sharding = #sdy.sharding_per_value<[<@third, []>, <@m, [{"x"}]>]>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>)
  return %1#0 : tensor<8x8xf32>
}

// Attributes in lists may say what they are.
// CHECK-LABEL: func @long_forms
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y":(1)2}]>}
func.func @long_forms(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [#sdy<dimension_sharding{"x"}>, {"y":#sdy<sub_axis_info(1)2>}]>}) -> tensor<8x8xf32> {
  // CHECK: sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"}
  %0 = sdy.manual_computation(%a) in_shardings=[#sdy.sharding<@m, [{"x"}, {}]>] out_shardings=[#sdy.sharding<@m, [{"x"}, {}]>] manual_axes=#sdy<manual_axes{"x"}> (%b: tensor<4x8xf32>) {
    // CHECK: sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>
    %1 = stablehlo.add %b, %b {sdy.sharding = #sdy.sharding_per_value<[#sdy.sharding<@m, [{}, {}]>]>} : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: sdy.all_to_all [{"x"}: 0->1] %{{.*}}
  %2 = sdy.all_to_all [#sdy<all_to_all_param{"x"}: 0->1>] %0 out_sharding=<@m, [{}, {"x"}]> : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// Unreduced values may be reduced by another function than a sum.
// CHECK-LABEL: func @reductions
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x"}>}
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"y":(1)2}>}
func.func @reductions(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x"}>},
                      %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=sum{"y":(1)2}>}) {
  // CHECK: sdy.all_reduce max {"x"} %{{.*}} out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  %0 = sdy.all_reduce max {"x"} %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.all_reduce {"y":(1)2} %{{.*}} out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_reduce sum {"y":(1)2} %b out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.replicated_to_unreduced {"y"} %{{.*}} out_sharding=<@m, [{}, {}], unreduced=min{"y"}> : tensor<8x8xf32>
  %2 = sdy.replicated_to_unreduced {"y"} %1 out_sharding=<@m, [{}, {}], unreduced=min{"y"}> : tensor<8x8xf32>
  // CHECK: sdy.reduce_scatter min [{"y"}, {}] %{{.*}} out_sharding=<@m, [{"y"}, {}]> : tensor<8x8xf32>
  %3 = "sdy.reduce_scatter"(%2) {out_sharding = #sdy.sharding<@m, [{"y"}, {}]>, reduce_scatter_axes = #sdy<list_of_axis_ref_lists[{"y"}, {}]>, reduction_op = 2 : i32} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// CHECK-LABEL: func @collectives
func.func @collectives(%a: tensor<8x8xf32>) {
  // CHECK: sdy.all_gather [{}, {"y"}] %{{.*}} out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  %0 = sdy.all_gather [{}, {"y"}] %a out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.all_slice [{}, {"y"}] %{{.*}} out_sharding=<@m, [{"x"}, {"y"}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{}, {"y"}] %0 out_sharding=<@m, [{"x"}, {"y"}]> : tensor<8x8xf32>
  // CHECK: sdy.all_to_all [{"x"}: 0->1, {"y"}: 1->0] %{{.*}} out_sharding=<@m, [{"y"}, {"x"}]> : tensor<8x8xf32>
  %2 = sdy.all_to_all [{"x"}: 0->1, {"y"}: 1->0] %1 out_sharding=<@m, [{"y"}, {"x"}]> : tensor<8x8xf32>
  // CHECK: sdy.collective_permute %{{.*}} out_sharding=<@m, [{"x"}, {"y"}]> : tensor<8x8xf32>
  %3 = sdy.collective_permute %2 out_sharding=<@m, [{"x"}, {"y"}]> : tensor<8x8xf32>
  // CHECK: sdy.all_reduce {"x", "y":(1)2} %{{.*}} out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  %4 = sdy.all_reduce {"x", "y":(1)2} %3 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.reduce_scatter [{"x"}, {}] %{{.*}} out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  %5 = sdy.reduce_scatter [{"x"}, {}] %4 out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.replicated_to_unreduced {"x"} %{{.*}} out_sharding=<@m, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  %6 = sdy.replicated_to_unreduced {"x"} %5 out_sharding=<@m, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  // CHECK: sdy.sharded_to_unreduced [{"x"}, {}] %{{.*}} out_sharding=<@m, [{}, {"y"}], unreduced={"x"}> : tensor<8x8xf32>
  %7 = sdy.sharded_to_unreduced [{"x"}, {}] %6 out_sharding=<@m, [{}, {"y"}], unreduced={"x"}> : tensor<8x8xf32>
  return
}

// CHECK-LABEL: func @regions
func.func @regions(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
  // CHECK-NEXT: stablehlo.add
  // CHECK-NEXT: sdy.return %{{.*}} : tensor<4x8xf32>
  // CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    %1 = stablehlo.add %b, %b : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
  // CHECK-NEXT: sdy.return
  // CHECK-NEXT: } {k.v = 1 : i32} : () -> ()
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    sdy.return
  } {k.v = 1 : i32} : () -> ()
  // CHECK: sdy.named_computation<"foo">(%{{.*}}) out_shardings=[<@m, [{}, {}]>] (%arg1: tensor<8x8xf32>) {
  %2 = sdy.named_computation<"foo">(%0) out_shardings=[<@m, [{}, {}]>] (%b: tensor<8x8xf32>) {
    sdy.return %b : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// Every attribute by itself.
// CHECK-LABEL: func @attributes
func.func @attributes() attributes {
  // CHECK-SAME: a.all_to_all = #sdy<all_to_all_param{"x"}: 0->1>
  a.all_to_all = #sdy<all_to_all_param{"x"}: 0->1>,
  // CHECK-SAME: a.axes = #sdy<axis_ref_list{"a", "b":(1)2}>
  a.axes = #sdy<axis_ref_list{"a", "b":(1)2}>,
  // CHECK-SAME: a.axis = #sdy<axis_ref"x":(1)2>
  a.axis = #sdy<axis_ref"x":(1)2>,
  // CHECK-SAME: a.dimension = #sdy<dimension_sharding{"a", ?}p1>
  a.dimension = #sdy<dimension_sharding{"a", ?}p1>,
  // CHECK-SAME: a.edges = #sdy.propagation_edges<[{step-0 = [{"y" = operand-1 -> [operand-0, result-0]}, {"x":(1)2 = result-0 -> [operand-0]}]}, {step-12 = [{"x" = operand-0 -> [result-3]}]}]>
  a.edges = #sdy.propagation_edges<[{step-0 = [{"y" = operand-1 -> [operand-0, result-0]}, {"x":(1)2=result-0->[operand-0]}]}, #sdy<propagation_one_step{step-12 = [{"x" = operand-0 -> [result-3]}]}>]>,
  // CHECK-SAME: a.lists = #sdy<list_of_axis_ref_lists[{"a"}, {}]>
  a.lists = #sdy<list_of_axis_ref_lists[{"a"}, {}]>,
  // CHECK-SAME: a.manual = #sdy<manual_axes{"a", "b"}>
  a.manual = #sdy<manual_axes{"a", "b"}>,
  // CHECK-SAME: a.mapping = #sdy<tensor_mapping[i, jk]>
  a.mapping = #sdy<tensor_mapping[i, jk]>,
  // CHECK-SAME: a.mesh_axis = #sdy<mesh_axis"a"=2>
  a.mesh_axis = #sdy<mesh_axis"a"=2>,
  // CHECK-SAME: a.part = #sdy<sub_axis_info(1)2>
  a.part = #sdy<sub_axis_info(1)2>,
  // CHECK-SAME: a.rule = #sdy.op_sharding_rule<([i, j], [jk, l])->([i]) {i=8, j=9, k=4, l=5} reduction={j} need_replication={k} permutation={l} blocked_propagation={i}>
  a.rule = #sdy.op_sharding_rule<([i, j], [jk, l])->([i]) {i=8, j=9, k=4, l=5} reduction={j} need_replication={k} permutation={l} blocked_propagation={i}>,
  // CHECK-SAME: a.rule_x_none = #sdy.op_sharding_rule<([], [])->([])>
  a.rule_x_none = #sdy.op_sharding_rule<([], [])->([])>,
  // CHECK-SAME: a.rule_y_many = #sdy.op_sharding_rule<([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1])->([z_1z_2]) {i=1, j=1, k=1, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1, t=1, u=1, v=1, w=1, x=1, y=1, z=1, z_1=1, z_2=3}>
  a.rule_y_many = #sdy.op_sharding_rule<([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1])->([z_1z_2]) {i=1, j=1, k=1, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1, t=1, u=1, v=1, w=1, x=1, y=1, z=1, z_1=1, z_2=3}>
} {
  return
}
