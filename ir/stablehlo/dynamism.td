// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops whose result shape is a run-time value.
#ifndef OPBYOP_IR_STABLEHLO_DYNAMISM_TD_
#define OPBYOP_IR_STABLEHLO_DYNAMISM_TD_

include "ir/stablehlo/attributes.td"

class DynamicOp<string mnemonic, string roles, list<Trait> traits = [Reifies]>
    : HloOp<mnemonic, "dynamism", roles, !listconcat([Pure], traits)>;

def DynamicBroadcastInDimOp : DynamicOp<"dynamic_broadcast_in_dim", "vs"> {
  let infoKind = "kBroadcast";
  let hasVerifier = 1;
  let arguments = (ins AnyAxisTensor:$operand, ShapeTensor:$output_dimensions,
                       DenseI64ArrayAttr:$broadcast_dimensions,
                       OptI64Array:$known_expanding_dimensions,
                       OptI64Array:$known_nonexpanding_dimensions);
  let results = (outs AnyAxisTensor:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions
    attr-dict `:` functional-type(operands, results)
  }];
}

def DynamicConvOp : DynamicOp<"dynamic_conv", "vvs", [InfersShape]> {
  let infoKind = "kConvolution";
  let infoStored = 0;
  let extraClassDefinition = kInfersShape;
  let hasVerifier = 1;
  let arguments = (ins
    AnyHloTensor:$lhs, AnyAxisTensor:$rhs, IntTensor:$padding,
    OptI64Array:$window_strides, OptI64Array:$lhs_dilation,
    OptI64Array:$rhs_dilation, OptBoolArray:$window_reversal,
    ConvDimensionNumbersAttr:$dimension_numbers, I64Attr:$feature_group_count,
    I64Attr:$batch_group_count, OptPrecisionConfig:$precision_config);
  let results = (outs AnyAxisTensor:$result);
}

def DynamicGatherOp : DynamicOp<"dynamic_gather", "vis", [InfersTypes, Reifies]> {
  let arguments = (ins AnyHloTensor:$operand, IntTensor:$start_indices,
                       TensorOfRank<1, [IntElement]>:$slice_sizes,
                       GatherDimensionNumbersAttr:$dimension_numbers,
                       FalseAttr:$indices_are_sorted);
  let results = (outs AnyHloTensor:$result);
}

def DynamicIotaOp : DynamicOp<"dynamic_iota", "s"> {
  let infoKind = "kTensorCreation";
  let infoStored = 0;
  let hasVerifier = 1;
  let arguments = (ins ShapeTensor:$output_shape, I64Attr:$iota_dimension);
  let results = (outs IntFloatComplexOrQuantTensor:$result);
  let assemblyFormat = "$output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)";
}

def DynamicPadOp : DynamicOp<"dynamic_pad", "vvsss"> {
  let hasVerifier = 1;
  let arguments = (ins AnyHloTensor:$operand, ScalarAny:$padding_value,
                       ShapeTensor:$edge_padding_low, ShapeTensor:$edge_padding_high,
                       ShapeTensor:$interior_padding);
  let results = (outs AnyHloTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def DynamicReshapeOp : DynamicOp<"dynamic_reshape", "vs"> {
  let hasVerifier = 1;
  let arguments = (ins AnyAxisTensor:$operand, ShapeTensor:$output_shape);
  let results = (outs AnyAxisTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def RealDynamicSliceOp : DynamicOp<"real_dynamic_slice", "viii"> {
  let hasVerifier = 1;
  let arguments = (ins AnyHloTensor:$operand, ShapeTensor:$start_indices,
                       ShapeTensor:$limit_indices, ShapeTensor:$strides);
  let results = (outs AnyHloTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def GetDimensionSizeOp : DynamicOp<"get_dimension_size", "v", [InfersTypes]> {
  let infoKind = "kTensorCreation";
  let arguments = (ins AnyAxisTensor:$operand, I64Attr:$dimension);
  let results = (outs ScalarI32:$result);
  let assemblyFormat = "$operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}

def SetDimensionSizeOp : DynamicOp<"set_dimension_size", "vs", [InfersTypes]> {
  let arguments = (ins AnyHloTensor:$operand, ScalarI32:$size, I64Attr:$dimension);
  let results = (outs AnyHloTensor:$result);
  let assemblyFormat = "$operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}

#endif  // OPBYOP_IR_STABLEHLO_DYNAMISM_TD_
