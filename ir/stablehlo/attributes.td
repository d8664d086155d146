// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Structured attributes and the two types of StableHLO.
#ifndef OPBYOP_IR_STABLEHLO_ATTRIBUTES_TD_
#define OPBYOP_IR_STABLEHLO_ATTRIBUTES_TD_

include "ir/stablehlo/enums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"

class HloAttr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Stablehlo_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}
def Dims : ArrayRefParameter<"int64_t", "dimensions">;

def GatherDimensionNumbersAttr : HloAttr<"GatherDimensionNumbers", "gather"> {
  let parameters = (ins
    Dims:$offset_dims, Dims:$collapsed_slice_dims,
    Dims:$operand_batching_dims, Dims:$start_indices_batching_dims,
    Dims:$start_index_map, "int64_t":$index_vector_dim);
  let hasCustomAssemblyFormat = 1;
}

def ScatterDimensionNumbersAttr : HloAttr<"ScatterDimensionNumbers", "scatter"> {
  let parameters = (ins
    Dims:$update_window_dims, Dims:$inserted_window_dims,
    Dims:$input_batching_dims, Dims:$scatter_indices_batching_dims,
    Dims:$scatter_dims_to_operand_dims, "int64_t":$index_vector_dim);
  let hasCustomAssemblyFormat = 1;
}

def DotDimensionNumbersAttr : HloAttr<"DotDimensionNumbers", "dot"> {
  let parameters = (ins
    Dims:$lhs_batching_dimensions, Dims:$rhs_batching_dimensions,
    Dims:$lhs_contracting_dimensions, Dims:$rhs_contracting_dimensions);
  let hasCustomAssemblyFormat = 1;
}

// Precision types are float types, including `tf32`.
def DotAlgorithmAttr : HloAttr<"DotAlgorithm", "dot_algorithm"> {
  let parameters = (ins
    "::mlir::Type":$lhs_precision_type, "::mlir::Type":$rhs_precision_type,
    "::mlir::Type":$accumulation_type, "int64_t":$lhs_component_count,
    "int64_t":$rhs_component_count, "int64_t":$num_primitive_operations,
    "bool":$allow_imprecise_accumulation);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def ConvDimensionNumbersAttr : HloAttr<"ConvDimensionNumbers", "conv"> {
  let parameters = (ins
    "int64_t":$input_batch_dimension, "int64_t":$input_feature_dimension,
    Dims:$input_spatial_dimensions,
    "int64_t":$kernel_input_feature_dimension,
    "int64_t":$kernel_output_feature_dimension,
    Dims:$kernel_spatial_dimensions,
    "int64_t":$output_batch_dimension, "int64_t":$output_feature_dimension,
    Dims:$output_spatial_dimensions);
  let hasCustomAssemblyFormat = 1;
}

def ChannelHandleAttr : HloAttr<"ChannelHandle", "channel_handle"> {
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let hasCustomAssemblyFormat = 1;
}
def OptChannelHandle : OptionalAttr<ChannelHandleAttr>;

// Upper bounds of dynamic dimensions. The attribute is the encoding of a tensor type.
def TypeExtensionsAttr : HloAttr<"TypeExtensions", "type_extensions",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let parameters = (ins Dims:$bounds);
  let hasCustomAssemblyFormat = 1;
}

def OutputOperandAliasAttr : HloAttr<"OutputOperandAlias", "output_operand_alias"> {
  let parameters = (ins Dims:$output_tuple_indices, "int64_t":$operand_index,
                        Dims:$operand_tuple_indices);
  let hasCustomAssemblyFormat = 1;
}
def OutputOperandAliasArrayAttr
    : TypedArrayAttrBase<OutputOperandAliasAttr,
                         "array of output operand aliases"> {
  let constBuilderCall = "$_builder.getArrayAttr($0)";
}

def ResultAccuracyAttr : HloAttr<"ResultAccuracy", "result_accuracy"> {
  let parameters = (ins "::llvm::APFloat":$atol, "::llvm::APFloat":$rtol,
                        "int64_t":$ulps,
                        "::opbyop::stablehlo::ResultAccuracyModeAttr":$mode);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // Returns the accuracy without tolerances and with mode DEFAULT.
    static ResultAccuracyAttr getDefault(::mlir::MLIRContext* context);
  }];
}
// If the attribute is absent, the accuracy is the default of the platform. An explicit default has the same meaning and
// prints the same.
def OptResultAccuracy : DefaultValuedOptionalAttr<ResultAccuracyAttr, "DEFAULT"> {
  let constBuilderCall =
      "::opbyop::stablehlo::ResultAccuracyAttr::getDefault($_builder.getContext())";
}

//===----------------------------------------------------------------------===//
// Meshes: replica groups named by mesh axes
//===----------------------------------------------------------------------===//

def SubAxisInfoAttr : HloAttr<"SubAxisInfo", "sub_axis_info"> {
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let assemblyFormat = "`(` $pre_size `)` `` $size";
  let genVerifyDecl = 1;
}

def AxisRefAttr : HloAttr<"AxisRef", "axis_ref"> {
  let parameters = (ins "::mlir::StringAttr":$name,
                        OptionalParameter<"::opbyop::stablehlo::SubAxisInfoAttr">:$sub_axis_info);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MeshAxisAttr : HloAttr<"MeshAxis", "mesh_axis"> {
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$size);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MeshAttr : HloAttr<"Mesh", "mesh"> {
  let parameters = (ins "::mlir::ArrayAttr":$axes,
                        OptionalParameter<"::mlir::DenseIntElementsAttr">:$device_ids);
  let assemblyFormat = [{
    `<` `axes` `` `=` `` custom<MeshAxes>($axes) (`,` `device_ids` `` `=` `` $device_ids^)? `>`
  }];
}

def ReplicaGroupMeshAxesAttr : HloAttr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes"> {
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::ArrayAttr":$axes);
  let assemblyFormat = "`<` struct(params) `>`";
}
def ReplicaGroupsAttr : AnyAttrOf<[I64ElementsAttr, ReplicaGroupMeshAxesAttr]>;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class HloType<string name, string typeMnemonic> : TypeDef<Stablehlo_Dialect, name> {
  let mnemonic = typeMnemonic;
  let summary = typeMnemonic;  // the name in messages
}

def TokenType : HloType<"Token", "token">;

def FutureType : HloType<"Future", "future"> {
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
  let genVerifyDecl = 1;
}

def TensorOrToken : AnyTypeOf<[AnyAxisTensor, TokenType]>;
def HloValue : Type<CPred<"::opbyop::stablehlo::IsValueType($_self)">,
    "ranked tensor, token, tuple or future">;
def CustomCallValue : Type<CPred<"::opbyop::stablehlo::IsCustomCallType($_self)">,
    "tensor, memref, token, tuple or future">;
def TupleValue : Type<CPred<"::llvm::isa<::mlir::TupleType>($_self)">,
                      "nested tuple", "::mlir::TupleType">;

#endif  // OPBYOP_IR_STABLEHLO_ATTRIBUTES_TD_
