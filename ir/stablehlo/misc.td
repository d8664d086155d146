// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Constants, linear algebra, normalization, random numbers, quantization,
// custom calls and tuples.
#ifndef OPBYOP_IR_STABLEHLO_MISC_TD_
#define OPBYOP_IR_STABLEHLO_MISC_TD_

include "ir/stablehlo/attributes.td"

class MiscOp<string mnemonic, string roles, list<Trait> traits = [Pure]>
    : HloOp<mnemonic, "misc", roles, traits>;

def ConstantOp : MiscOp<"constant", "", [ConstantLike, Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let infoKind = "kTensorCreation";
  let infoStored = 1;
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyAxisTensor:$output);
  let skipDefaultBuilders = 0;
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value), [{
    build($_builder, $_state, value.getShapedType(), value);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def IotaOp : MiscOp<"iota", ""> {
  let builders = [];
  let skipDefaultBuilders = 0;
  let infoKind = "kTensorCreation";
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs IntFloatComplexOrQuantTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def BatchNormGradOp : MiscOp<"batch_norm_grad", "vvvvv", [Pure, InfersTypes]> {
  let infoKind = "kNormalization";
  let arguments = (ins FloatOrQuantTensor:$operand, FloatVector:$scale, FloatVector:$mean,
                       FloatVector:$variance, FloatOrQuantTensor:$grad_output,
                       F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs FloatOrQuantTensor:$grad_operand, FloatVector:$grad_scale,
                      FloatVector:$grad_offset);
}

def BatchNormInferenceOp : MiscOp<"batch_norm_inference", "vvvvv", [Pure, InfersTypes, ReifiesOperands]> {
  let infoKind = "kNormalization";
  let arguments = (ins FloatOrQuantTensor:$operand, FloatVector:$scale, FloatVector:$offset,
                       FloatVector:$mean, FloatVector:$variance, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs FloatOrQuantTensor:$result);
}

def BatchNormTrainingOp : MiscOp<"batch_norm_training", "vvv", [Pure, InfersTypes]> {
  let infoKind = "kNormalization";
  let arguments = (ins FloatOrQuantTensor:$operand, FloatVector:$scale, FloatVector:$offset,
                       F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs FloatOrQuantTensor:$output, FloatVector:$batch_mean,
                      FloatVector:$batch_var);
}

def CholeskyOp : MiscOp<"cholesky", "v", [Pure, InfersTypes, ReifiesOperands]> {
  let infoKind = "kLinearAlgebra";
  let arguments = (ins FloatComplexOrQuantTensor:$a, FalseAttr:$lower);
  let results = (outs FloatComplexOrQuantTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:`
    custom<SameOperandsAndResultType>(type($a), type($result))
  }];
}

def TriangularSolveOp : MiscOp<"triangular_solve", "vv", [Pure, SameOperandElements, InfersTypes]> {
  let infoKind = "kLinearAlgebra";
  let arguments = (ins FloatComplexOrQuantTensor:$a, FloatComplexOrQuantTensor:$b,
                       BoolAttr:$left_side, BoolAttr:$lower, BoolAttr:$unit_diagonal,
                       TransposeAttr:$transpose_a);
  let results = (outs FloatComplexOrQuantTensor:$result);
}

def FftOp : MiscOp<"fft", "v", [Pure, InfersTypes]> {
  let infoKind = "kLinearAlgebra";
  let arguments = (ins FloatOrComplexTensor:$operand, FftTypeAttr:$fft_type,
                       DenseI64ArrayAttr:$fft_length);
  let results = (outs FloatOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length
    attr-dict `:` functional-type(operands, results)
  }];
}

def RngOp : MiscOp<"rng", "vvs", [InfersTypes, Reifies]> {
  let infoKind = "kRandom";
  let arguments = (ins ScalarPredIntOrFloat:$a, ScalarPredIntOrFloat:$b, ShapeTensor:$shape,
                       RngDistributionAttr:$rng_distribution);
  let results = (outs PredIntOrFloatTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution
    attr-dict `:` functional-type(operands, results)
  }];
}

def RngBitGeneratorOp : MiscOp<"rng_bit_generator", "v"> {
  let infoKind = "kRandom";
  let arguments = (ins RngAlgorithmAttr:$rng_algorithm,
                       Tensor<[IntElement, FloatElement]>:$initial_state);
  let results = (outs Tensor<[IntElement, FloatElement]>:$output_state,
                      Tensor<[IntElement, FloatElement]>:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` $rng_algorithm
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

class QuantizeOp<string mnemonic, TypeConstraint from, TypeConstraint to, list<Trait> traits>
    : HloOp<mnemonic, "quantization", "v", !listconcat([Pure, ReifiesOperands], traits)> {
  let arguments = (ins from:$operand);
  let results = (outs to:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}
def UniformQuantizeOp
    : QuantizeOp<"uniform_quantize", FloatOrAnyQuantTensor, QuantTensor, [SameShape]> {
  let hasVerifier = 1;
}
def UniformDequantizeOp
    : QuantizeOp<"uniform_dequantize", QuantTensor, FloatTensor, [InfersTypes]>;

//===----------------------------------------------------------------------===//
// Extensibility
//===----------------------------------------------------------------------===//

class ExtensionOp<string mnemonic, string roles, list<Trait> traits = [Pure]>
    : HloOp<mnemonic, "extensibility", roles, traits>;

def SymbolRefArray : TypedArrayAttrBase<FlatSymbolRefAttr, "flat symbol ref array attribute"> {
  let constBuilderCall = "$_builder.getArrayAttr($0)";
}

def CustomCallOp : ExtensionOp<"custom_call", "V",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let builders = [];
  let skipDefaultBuilders = 0;
  let infoKind = "kCustomCall";
  let hasVerifier = 1;
  let arguments = (ins
    Variadic<CustomCallValue>:$inputs, StrAttr:$call_target_name,
    FalseAttr:$has_side_effect,
    OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
    DefaultValuedOptionalAttr<CustomCallApiVersion,
      "::opbyop::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
    DefaultValuedOptionalAttr<SymbolRefArray, "{}">:$called_computations,
    OptionalAttr<ArrayAttr>:$operand_layouts, OptionalAttr<ArrayAttr>:$result_layouts,
    DefaultValuedOptionalAttr<OutputOperandAliasArrayAttr, "{}">:$output_operand_aliases,
    OptionalAttr<ArrayAttr>:$result_tilings);
  let results = (outs Variadic<CustomCallValue>:$results);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)`
    attr-dict `:` functional-type(operands, results)
  }];
}

def InfersTuple : InfersBy<
    [{ types.push_back(::mlir::TupleType::get(context, operands.getTypes()));
       return ::mlir::success(); }]>;
def TupleOp : ExtensionOp<"tuple", "V", [Pure, InfersTuple]> {
  let arguments = (ins Variadic<HloValue>:$val);
  let results = (outs TupleValue:$result);
  let assemblyFormat = [{
    $val attr-dict `:` custom<TupleOpType>(type($val), type($result))
  }];
}

def GetTupleElementOp : ExtensionOp<"get_tuple_element", "v", [Pure, InfersTypes]> {
  let arguments = (ins TupleValue:$operand, I32Attr:$index);
  let results = (outs HloValue:$result);
  let assemblyFormat = "$operand `[` $index `]` attr-dict `:` functional-type(operands, results)";
}

//===----------------------------------------------------------------------===//
// Deprecated, still read
//===----------------------------------------------------------------------===//

class OldOp<string mnemonic, string roles, list<Trait> traits = [Pure]>
    : HloOp<mnemonic, "deprecated", roles, traits>;

def BroadcastOp : OldOp<"broadcast", "v", [Pure, InfersTypes, Reifies]> {
  let infoKind = "kBroadcast";
  let infoStored = 1;
  let arguments = (ins AnyHloTensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs AnyHloTensor:$result);
  let assemblyFormat = "$operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)";
}

def CreateTokenOp : OldOp<"create_token", ""> {
  let infoKind = "kTensorCreation";
  let results = (outs TokenType:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def CrossReplicaSumOp : OldOp<"cross-replica-sum", "v", [InfersMerged]> {
  let infoKind = "kCollective";
  let infoStored = 1;
  let hasVerifier = 1;
  let arguments = (ins AnyHloTensor:$operand, I64ElementsAttr:$replica_groups);
  let results = (outs AnyHloTensor:$result);
}

def DotOp : OldOp<"dot", "vv", [Pure, InfersShape]> {
  let infoKind = "kMatmul";
  let extraClassDefinition = kInfersShape;
  let arguments = (ins AnyHloTensor:$lhs, AnyAxisTensor:$rhs,
                       OptPrecisionConfig:$precision_config);
  let results = (outs AnyAxisTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<PrecisionConfig>($precision_config)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def EinsumOp : OldOp<"einsum", "vv"> {
  let infoKind = "kMatmul";
  let hasVerifier = 1;
  let arguments = (ins AnyHloTensor:$lhs, AnyHloTensor:$rhs, StrAttr:$einsum_config);
  let results = (outs AnyHloTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
}

def UnaryEinsumOp : OldOp<"unary_einsum", "v"> {
  let infoKind = "kMatmul";
  let hasVerifier = 1;
  let arguments = (ins AnyHloTensor:$operand, StrAttr:$einsum_config);
  let results = (outs AnyHloTensor:$result);
  let assemblyFormat = "$operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
}

def TorchIndexSelectOp : OldOp<"torch_index_select", "vi"> {
  let infoKind = "kDataMovement";
  let infoStored = 1;
  let hasVerifier = 1;
  let arguments = (ins AnyHloTensor:$operand, AnyHloTensor:$index, I64Attr:$dim,
                       I64Attr:$batch_dims);
  let results = (outs AnyHloTensor:$result);
}

#endif  // OPBYOP_IR_STABLEHLO_MISC_TD_
