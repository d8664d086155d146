// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Meshes, axes and shardings. Their text is that of upstream; ir/sdy/attributes.cc parses and prints it.
#ifndef OPBYOP_IR_SDY_ATTRIBUTES_TD_
#define OPBYOP_IR_SDY_ATTRIBUTES_TD_

include "ir/sdy/base.td"

def Sdy_ReductionOp : I32EnumAttr<"ReductionOp", "how parts of a value are reduced to it", [
    I32EnumAttrCase<"SUM", 0, "sum">, I32EnumAttrCase<"MAX", 1, "max">, I32EnumAttrCase<"MIN", 2, "min">]> {
  let cppNamespace = "::opbyop::sdy";
}
def Sdy_EdgeNodeType : I32EnumAttr<"EdgeNodeType", "which values of an op", [
    I32EnumAttrCase<"OPERAND", 0, "operand">, I32EnumAttrCase<"RESULT", 1, "result">]> {
  let cppNamespace = "::opbyop::sdy";
}

class Sdy_Attr<string name, string attrMnemonic> : AttrDef<Sdy_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}
class Sdy_Attrs<string of> : ArrayRefParameter<"::opbyop::sdy::" # of>;
def Sdy_Factors : ArrayRefParameter<"int64_t", "factor indices">;

// `"x"=2`
def Sdy_MeshAxisAttr : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$size);
}

// `<["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>`. Device ids 0, 1, 2, ... in order are omitted.
def Sdy_MeshAttr : Sdy_Attr<"Mesh", "mesh"> {
  let parameters = (ins Sdy_Attrs<"MeshAxisAttr">:$axes, ArrayRefParameter<"int64_t">:$device_ids);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // Returns the number of devices: the product of the sizes of the axes.
    int64_t Size() const;
    // True if the mesh has no axes and names one device.
    bool IsMaximal() const;
    // Returns the size of the axis with this name, or 0 if there is none.
    int64_t AxisSize(::llvm::StringRef name) const;
  }];
}

// `(1)2`: the part of an axis that has size 2, after parts whose sizes multiply to 1.
def Sdy_SubAxisInfoAttr : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
}

// `"x"` or `"x":(1)2`
def Sdy_AxisRefAttr : Sdy_Attr<"AxisRef", "axis_ref"> {
  let parameters = (ins StringRefParameter<>:$name,
                        OptionalParameter<"::opbyop::sdy::SubAxisInfoAttr">:$sub_axis_info);
}

// `{"x", ?}p1`: sharded over x, and possibly over further axes; priority 1.
def Sdy_DimensionShardingAttr : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let parameters = (ins Sdy_Attrs<"AxisRefAttr">:$axes, "bool":$is_closed,
                        "std::optional<int64_t>":$priority);
}

// `<@mesh, [{"x"}, {?}], replicated={"y"}, unreduced={"z"}>`. Instead of its name, the mesh itself may be given:
// `mesh<["x"=2]>`. Parts of an unreduced value must be summed, or reduced as `unreduced=max{"z"}` says.
def Sdy_TensorShardingAttr : Sdy_Attr<"TensorSharding", "sharding"> {
  let parameters = (ins "::mlir::Attribute":$mesh_or_ref,
                        Sdy_Attrs<"DimensionShardingAttr">:$dim_shardings,
                        Sdy_Attrs<"AxisRefAttr">:$replicated_axes,
                        Sdy_Attrs<"AxisRefAttr">:$unreduced_axes,
                        "::opbyop::sdy::ReductionOp":$reduction);
  let extraClassDeclaration = [{
    // Returns the mesh, which the sharding names or contains. Null if `op` cannot see a mesh with that name.
    ::opbyop::sdy::MeshAttr MeshFor(::mlir::Operation* op) const;
  }];
}

// `<[<@mesh, [{"x"}]>, <@mesh, []>]>`: one per result.
def Sdy_TensorShardingPerValueAttr : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let parameters = (ins Sdy_Attrs<"TensorShardingAttr">:$shardings);
}

// `{"x", "y"}`: the axes over which a manual computation is written per device.
def Sdy_ManualAxesAttr : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$value);
}

// `{"x", "y":(1)2}`
def Sdy_AxisRefListAttr : Sdy_Attr<"AxisRefList", "axis_ref_list"> {
  let parameters = (ins Sdy_Attrs<"AxisRefAttr">:$value);
}

// `[{"x"}, {}]`: axes by dimension.
def Sdy_ListOfAxisRefListsAttr : Sdy_Attr<"ListOfAxisRefLists", "list_of_axis_ref_lists"> {
  let parameters = (ins Sdy_Attrs<"AxisRefListAttr">:$value);
}

// `{"x"}: 0->1`: the axes move from one dimension to another.
def Sdy_AllToAllParamAttr : Sdy_Attr<"AllToAllParam", "all_to_all_param"> {
  let parameters = (ins Sdy_Attrs<"AxisRefAttr">:$axes, "int64_t":$src_dim, "int64_t":$tgt_dim);
}

// `[{"x"}: 0->1, {"y"}: 2->3]`
def Sdy_AllToAllParamListAttr : Sdy_Attr<"AllToAllParamList", "all_to_all_param_list"> {
  let parameters = (ins Sdy_Attrs<"AllToAllParamAttr">:$value);
}

// `ij`: the factors of one dimension.
def Sdy_DimMappingAttr : Sdy_Attr<"DimMapping", "dim_mapping"> {
  let parameters = (ins Sdy_Factors:$factor_indices);
}

// `[ij, k]`
def Sdy_TensorMappingAttr : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let parameters = (ins Sdy_Attrs<"DimMappingAttr">:$dim_mappings);
}

// `<([i, k], [k, j])->([i, j]) {i=8, j=4, k=2} reduction={k}, custom>`: which dimensions of operands and results
// correspond.
def Sdy_OpShardingRuleAttr : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let parameters = (ins Sdy_Factors:$factor_sizes,
                        Sdy_Attrs<"TensorMappingAttr">:$operand_mappings,
                        Sdy_Attrs<"TensorMappingAttr">:$result_mappings,
                        Sdy_Factors:$reduction_factors, Sdy_Factors:$need_replication_factors,
                        Sdy_Factors:$permutation_factors, Sdy_Factors:$blocked_propagation_factors,
                        "bool":$is_custom_rule);
}

//===----------------------------------------------------------------------===//
// Records of the steps of sharding propagation, for debugging only. propagation_edges.cc parses and prints them.
//===----------------------------------------------------------------------===//

// `operand-1`
def Sdy_EdgeValueRefAttr : Sdy_Attr<"EdgeValueRef", "edge_value_ref"> {
  let parameters = (ins "::opbyop::sdy::EdgeNodeType":$type, "int64_t":$index);
}

// `{"y" = operand-1 -> [operand-0, result-0]}`
def Sdy_AxisToPropagationDetailsAttr : Sdy_Attr<"AxisToPropagationDetails", "axis_to_propagation_details"> {
  let parameters = (ins "::opbyop::sdy::AxisRefAttr":$axis_name, "::opbyop::sdy::EdgeValueRefAttr":$source,
                        Sdy_Attrs<"EdgeValueRefAttr">:$targets);
}

// `{step-2 = [{"y" = operand-1 -> [result-0]}]}`
def Sdy_PropagationOneStepAttr : Sdy_Attr<"PropagationOneStep", "propagation_one_step"> {
  let parameters = (ins "int64_t":$step_index, Sdy_Attrs<"AxisToPropagationDetailsAttr">:$axis_entries);
}

// `<[{step-2 = [{"y" = operand-1 -> [result-0]}]}]>`
def Sdy_PropagationEdgesAttr : Sdy_Attr<"PropagationEdges", "propagation_edges"> {
  let parameters = (ins Sdy_Attrs<"PropagationOneStepAttr">:$value);
}

#endif  // OPBYOP_IR_SDY_ATTRIBUTES_TD_
