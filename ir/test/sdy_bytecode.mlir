// Reads bytecode of this text that Python bindings of 2026 wrote, and bytecode that is written here: sdy has its own
// encoding. The file is made by `python3 -m validation.oracle.write_bytecode ir/test`.
// RUN: opbyop-opt %s -o %t.text
// RUN: opbyop-opt %S/Inputs/sdy_bytecode.mlirbc | diff - %t.text
// RUN: opbyop-opt --emit-bytecode %s | opbyop-opt | diff - %t.text

sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @m1 = <["x"=1]>
sdy.mesh @max = #sdy.mesh<[], device_ids=[3]>
func.func @f(%a: tensor<8x8xf32>, %i: tensor<8xi32>) -> tensor<8x8xf32> {
 %c = sdy.constant dense<1.0> : tensor<8x8xf32>
 %c2 = sdy.constant {foo.bar = 1 : i32} dense<[1,2]> : tensor<2xi64>
 %0 = sdy.sharding_constraint %a <@m, [{"x"}, {"y"}]> : tensor<8x8xf32>
 %1 = sdy.all_gather [{}, {"y"}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
 %2 = sdy.all_slice [{}, {"y"}] %1 out_sharding=<@m, [{"x"}, {"y"}]> : tensor<8x8xf32>
 %3 = sdy.collective_permute %2 out_sharding=<@m, [{"x"}, {"y":(2)2,"y":(1)2}]> : tensor<8x8xf32>
 %4 = sdy.reshard %2 <@m, [{"x"}, {"y"}]> {a.b = 2 : i8} : tensor<8x8xf32>
 sdy.sharding_group %4 group_id=21 : tensor<8x8xf32>
 %5 = sdy.propagation_barrier %4 allowed_direction=BACKWARD : tensor<8x8xf32>
 %55 = sdy.propagation_barrier %4 allowed_direction=NONE : tensor<8x8xf32>
 %57 = sdy.propagation_barrier %4 allowed_direction=FORWARD : tensor<8x8xf32>
 %6:2 = sdy.named_computation<"foo">(%5, %a) in_shardings=[<@m, [{"x"}, {}]>, <@m, [{}, {}]>] out_shardings=[<@m, [{}, {}]>, <@m, [{}, {}]>] (%arg1: tensor<8x8xf32>, %arg2: tensor<8x8xf32>) {
   sdy.return %arg1, %arg2 : tensor<8x8xf32>, tensor<8x8xf32>
 } : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
 %66 = sdy.named_computation<"foo">(%5) (%arg1: tensor<8x8xf32>) {
   sdy.return %arg1 : tensor<8x8xf32>
 } {q.q} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
 %7 = sdy.manual_computation(%6#0) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
   %70 = stablehlo.add %arg1, %arg1 : tensor<4x8xf32>
   sdy.return %70 : tensor<4x8xf32>
 } : (tensor<8x8xf32>) -> tensor<8x8xf32>
 sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () { sdy.return } : () -> ()
 %8 = sdy.data_flow_edge %7 sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
 %88 = sdy.data_flow_edge %66 : tensor<8x8xf32>
 %89 = sdy.func_data_flow_edge %i: tensor<8xi32>
 return %8 : tensor<8x8xf32>
}
func.func @g(%a: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{"x"}, {"y"}]>}, %b: tensor<8x8xf32> {sdy.sharding=#sdy.sharding<@m, [{}, {}]>}) -> tensor<8x8xf32> {
 %0 = sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@m, [{}, {"y", "x"}]> : tensor<8x8xf32>
 %r = stablehlo.add %b, %b {sdy.sharding = #sdy.sharding_per_value<[<@m, [{},{}], unreduced={"x"}>]>} : tensor<8x8xf32>
 %1 = sdy.all_reduce {"x"} %r out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
 %2 = sdy.reduce_scatter [{"x"}, {}] %r out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
 %3 = sdy.replicated_to_unreduced {"x"} %b out_sharding=<@m, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
 %4 = sdy.sharded_to_unreduced [{"x"}, {}] %a out_sharding=<@m, [{}, {"y"}], unreduced={"x"}> : tensor<8x8xf32>
 %5 = sdy.sharding_constraint %b <mesh<["q"=2]>, [{}, {}]> : tensor<8x8xf32>
 return %4 : tensor<8x8xf32>
}
func.func private @attributes() attributes {
  a.all_to_all = #sdy<all_to_all_param{"x"}: 0->1>,
  a.axes = #sdy<axis_ref_list{"a", "b":(1)2}>,
  a.axis = #sdy<axis_ref"x":(1)2>,
  a.dimension = #sdy<dimension_sharding{"a", ?}p1>,
  a.lists = #sdy<list_of_axis_ref_lists[{"a"}, {}]>,
  a.manual = #sdy<manual_axes{"a", "b"}>,
  a.mapping = #sdy<tensor_mapping[i, jk]>,
  a.mesh_axis = #sdy<mesh_axis"a"=2>,
  a.part = #sdy<sub_axis_info(1)2>,
  a.rule = #sdy.op_sharding_rule<([i, j], [jk, l])->([i]) {i=8, j=9, k=4, l=5} reduction={j} need_replication={k} permutation={l} blocked_propagation={i}>,
  a.rule_x_none = #sdy.op_sharding_rule<([], [])->([])>,
  a.rule_y_many = #sdy.op_sharding_rule<([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1])->([z_1z_2]) {i=1, j=1, k=1, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1, t=1, u=1, v=1, w=1, x=1, y=1, z=1, z_1=1, z_2=3}>
}
