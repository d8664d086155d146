// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Collectives, transfers between devices, process identity.
#ifndef OPBYOP_IR_STABLEHLO_DISTRIBUTION_TD_
#define OPBYOP_IR_STABLEHLO_DISTRIBUTION_TD_

include "ir/stablehlo/attributes.td"

class DistOp<string mnemonic, string roles, list<Trait> traits = []>
    : HloOp<mnemonic, "distribution", roles, traits>;
class CollectiveOp<string mnemonic, list<Trait> traits = []>
    : DistOp<mnemonic, "V",
             !listconcat([DeclareOpInterfaceMethods<SymbolUserOpInterface>], traits)>;
defvar kComputation = [SingleBlockImplicitTerminator<"ReturnOp">];
defvar kInferredComputation = [SingleBlockImplicitTerminator<"ReturnOp">, InfersTypes];

def AllGatherOp : CollectiveOp<"all_gather"> {
  let hasVerifier = 1;
  let arguments = (ins Variadic<AnyHloTensor>:$operands, I64Attr:$all_gather_dim,
                       ReplicaGroupsAttr:$replica_groups,
                       OptChannelHandle:$channel_handle, UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<AnyHloTensor>:$results);
}

def AllReduceOp : CollectiveOp<"all_reduce", kInferredComputation> {
  let arguments = (ins Variadic<AnyHloTensor>:$operands, ReplicaGroupsAttr:$replica_groups,
                       OptChannelHandle:$channel_handle, UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<AnyHloTensor>:$results);
}

def AllToAllOp : CollectiveOp<"all_to_all", [InfersTypes]> {
  let arguments = (ins Variadic<AnyHloTensor>:$operands, I64Attr:$split_dimension,
                       I64Attr:$concat_dimension, I64Attr:$split_count,
                       ReplicaGroupsAttr:$replica_groups, OptChannelHandle:$channel_handle);
  let results = (outs Variadic<AnyHloTensor>:$results);
}

def ReduceScatterOp : CollectiveOp<"reduce_scatter", kComputation> {
  let hasVerifier = 1;
  let arguments = (ins AnyHloTensor:$operand, I64Attr:$scatter_dimension,
                       ReplicaGroupsAttr:$replica_groups,
                       OptChannelHandle:$channel_handle, UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs AnyHloTensor:$result);
}

def CollectiveBroadcastOp : CollectiveOp<"collective_broadcast", [InfersTypes]> {
  let arguments = (ins Variadic<AnyHloTensor>:$operands, ReplicaGroupsAttr:$replica_groups,
                       OptChannelHandle:$channel_handle, UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<AnyHloTensor>:$results);
}

def CollectiveReduceOp : CollectiveOp<"collective_reduce", kInferredComputation> {
  let arguments = (ins Variadic<AnyHloTensor>:$operands, ReplicaGroupsAttr:$replica_groups,
                       OptChannelHandle:$channel_handle, UnitAttr:$use_global_device_ids,
                       UnitAttr:$has_dynamic_root);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<AnyHloTensor>:$results);
}

def CollectivePermuteOp : DistOp<"collective_permute", "v", [InfersMerged]> {
  let arguments = (ins AnyHloTensor:$operand, I64ElementsAttr:$source_target_pairs,
                       OptChannelHandle:$channel_handle);
  let results = (outs AnyHloTensor:$result);
  let hasVerifier = 1;
}

def AsyncStartOp : DistOp<"async_start", "V", kInferredComputation> {
  let arguments = (ins Variadic<AnyHloTensor>:$operands);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs FutureType:$result);
}

def AsyncDoneOp : DistOp<"async_done", "v", [InfersTypes]> {
  let arguments = (ins FutureType:$operand);
  let results = (outs Variadic<AnyHloTensor>:$results);
}

def InfeedOp : DistOp<"infeed", "t"> {
  let arguments = (ins TokenType:$token, DefaultValuedOptionalStrAttr<StrAttr, "">:$infeed_config,
                       OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<TensorOrToken>:$results);
  let hasVerifier = 1;
}

def OutfeedOp : DistOp<"outfeed", "Vt"> {
  let arguments = (ins Variadic<AnyAxisTensor>:$inputs, TokenType:$token,
                       DefaultValuedOptionalStrAttr<StrAttr, "">:$outfeed_config);
  let results = (outs TokenType:$result);
}

def SendOp : DistOp<"send", "Vt"> {
  let arguments = (ins Variadic<AnyAxisTensor>:$inputs, TokenType:$token,
                       ChannelHandleAttr:$channel_handle, FalseAttr:$is_host_transfer,
                       OptI64Elements:$source_target_pairs);
  let results = (outs TokenType:$result);
  let hasVerifier = 1;
}

def RecvOp : DistOp<"recv", "t"> {
  let arguments = (ins TokenType:$token, ChannelHandleAttr:$channel_handle,
                       FalseAttr:$is_host_transfer, OptI64Elements:$source_target_pairs);
  let results = (outs Variadic<TensorOrToken>:$results);
  let hasVerifier = 1;
}

def InfersId : InfersBy<
    [{ types.push_back(::mlir::RankedTensorType::get(
           {}, ::mlir::IntegerType::get(context, 32, ::mlir::IntegerType::Unsigned)));
       return ::mlir::success(); }]>;
class IdentityOp<string mnemonic> : DistOp<mnemonic, "", [Pure, InfersId]> {
  let results = (outs 0DTensorOf<[UI32]>:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def PartitionIdOp : IdentityOp<"partition_id">;
def ReplicaIdOp : IdentityOp<"replica_id">;

#endif  // OPBYOP_IR_STABLEHLO_DISTRIBUTION_TD_
