// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The ops of the sdy dialect. On whole values they are identities; they say on which devices the parts of a value are.
#ifndef OPBYOP_IR_SDY_OPS_TD_
#define OPBYOP_IR_SDY_OPS_TD_

include "ir/sdy/attributes.td"

def Sdy_PropagationDirection : I32EnumAttr<"PropagationDirection", "where shardings may flow", [
    I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"FORWARD", 1>, I32EnumAttrCase<"BACKWARD", 2>,
    I32EnumAttrCase<"BOTH", 3>]> {
  let cppNamespace = "::opbyop::sdy";
}

class Sdy_Op<string mnemonic, string roles, list<Trait> traits = []>
    : Op<Sdy_Dialect, mnemonic, traits>, OpInfo<"sharding", roles> {
  let infoName = "sdy." # mnemonic;
  let builders = !if(!empty(regions), [PlainBuilder], []);
  let skipDefaultBuilders = !empty(regions);
}

def Sdy_MeshOp : Sdy_Op<"mesh", "", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_MeshAttr:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

def Sdy_ConstantOp : Sdy_Op<"constant", "", [Pure, AllTypesMatch<["value", "output"]>]> {
  let infoKind = "kTensorCreation";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$output);
  let assemblyFormat = "attr-dict $value";
}

//===----------------------------------------------------------------------===//
// Shardings of values
//===----------------------------------------------------------------------===//

// Gives its operand the sharding of the attribute.
class Sdy_ReshardingOp<string mnemonic> : Sdy_Op<mnemonic, "v", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyType:$input, Sdy_TensorShardingAttr:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Sdy_ShardingConstraintOp : Sdy_ReshardingOp<"sharding_constraint">;
def Sdy_ReshardOp : Sdy_ReshardingOp<"reshard">;

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group", "v"> {
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id` `` `=` `` $group_id attr-dict `:` type($input)";
}

def Sdy_PropagationBarrierOp : Sdy_Op<"propagation_barrier", "v", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyRankedTensor:$input, Sdy_PropagationDirection:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `allowed_direction` `` `=` `` $allowed_direction attr-dict `:` type($input)
  }];
}

def Sdy_DataFlowEdgeOp : Sdy_Op<"data_flow_edge", "v", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyType:$input, OptionalAttr<Sdy_TensorShardingAttr>:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input (`sharding` `` `=` `` $sharding^)? attr-dict `:` type($result)";
}

def Sdy_FuncDataFlowEdgeOp : Sdy_Op<"func_data_flow_edge", "v", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyType:$operand);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

// Converts the operand from its sharding to another.
class Sdy_CollectiveOp<string mnemonic, dag axes, string format>
    : Sdy_Op<mnemonic, "v", [Pure, SameOperandsAndResultType]> {
  let infoKind = "kCollective";
  let arguments = !con((ins AnyType:$tensor), axes, (ins Sdy_TensorShardingAttr:$out_sharding));
  let results = (outs AnyType:$result);
  let assemblyFormat =
      format # " $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Sdy_AllGatherOp : Sdy_CollectiveOp<"all_gather", (ins Sdy_ListOfAxisRefListsAttr:$gathering_axes),
                               "$gathering_axes">;
def Sdy_AllSliceOp : Sdy_CollectiveOp<"all_slice", (ins Sdy_ListOfAxisRefListsAttr:$slicing_axes),
                              "$slicing_axes">;
// Reduces over the axes: by a sum, or as the word before them says, as in `sdy.all_reduce max {"x"} %a`.
class Sdy_ReducingOp<string mnemonic, dag axes, string format>
    : Sdy_CollectiveOp<mnemonic,
                       !con(axes, (ins DefaultValuedAttr<Sdy_ReductionOp, "::opbyop::sdy::ReductionOp::SUM">:$reduction_op)),
                       "($reduction_op^)? " # format>;
def Sdy_AllReduceOp : Sdy_ReducingOp<"all_reduce", (ins Sdy_AxisRefListAttr:$reduction_axes), "$reduction_axes">;
def Sdy_ReduceScatterOp : Sdy_ReducingOp<"reduce_scatter", (ins Sdy_ListOfAxisRefListsAttr:$reduce_scatter_axes),
                                         "$reduce_scatter_axes">;
def Sdy_AllToAllOp : Sdy_CollectiveOp<"all_to_all", (ins Sdy_AllToAllParamListAttr:$params), "$params">;
def Sdy_CollectivePermuteOp : Sdy_CollectiveOp<"collective_permute", (ins), "">;
def Sdy_ReplicatedToUnreducedOp : Sdy_CollectiveOp<"replicated_to_unreduced", (ins Sdy_AxisRefListAttr:$axes),
                                           "$axes">;
def Sdy_ShardedToUnreducedOp : Sdy_CollectiveOp<"sharded_to_unreduced",
                                        (ins Sdy_ListOfAxisRefListsAttr:$axes), "$axes">;

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

class Sdy_RegionOp<string mnemonic> : Sdy_Op<mnemonic, "V",
    [IsolatedFromAbove, RecursiveMemoryEffects, SingleBlock]> {
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

// The region is written for one device of the manual axes. Its arguments and results are the parts on that device.
def Sdy_ManualComputationOp : Sdy_RegionOp<"manual_computation"> {
  let infoKind = "kControlFlow";
  let arguments = (ins Variadic<AnyType>:$tensors, Sdy_TensorShardingPerValueAttr:$in_shardings,
                       Sdy_TensorShardingPerValueAttr:$out_shardings, Sdy_ManualAxesAttr:$manual_axes);
  let assemblyFormat = [{
    `` `(` operands `)` `in_shardings` `` `=` `` custom<StrippedShardings>($in_shardings)
    `out_shardings` `` `=` `` custom<StrippedShardings>($out_shardings)
    `manual_axes` `` `=` `` $manual_axes
    custom<RegionWithArguments>($body) attr-dict `:` functional-type(operands, results)
  }];
}

def Sdy_NamedComputationOp : Sdy_RegionOp<"named_computation"> {
  let infoKind = "kControlFlow";
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$operands,
                       OptionalAttr<Sdy_TensorShardingPerValueAttr>:$in_shardings,
                       OptionalAttr<Sdy_TensorShardingPerValueAttr>:$out_shardings);
  let assemblyFormat = [{
    `` `<` $name `>` `` `(` $operands `)`
    (`in_shardings` `` `=` `` custom<StrippedShardings>($in_shardings)^)?
    (`out_shardings` `` `=` `` custom<StrippedShardings>($out_shardings)^)?
    custom<RegionWithArguments>($body) attr-dict `:` functional-type($operands, results)
  }];
}

def Sdy_ReturnOp : Sdy_Op<"return", "V", [Pure, Terminator]> {
  let infoKind = "kControlFlow";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

#endif  // OPBYOP_IR_SDY_OPS_TD_
