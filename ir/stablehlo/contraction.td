// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions and contractions.
#ifndef OPBYOP_IR_STABLEHLO_CONTRACTION_TD_
#define OPBYOP_IR_STABLEHLO_CONTRACTION_TD_

include "ir/stablehlo/attributes.td"

class ContractOp<string mnemonic, string roles, list<Trait> traits>
    : HloOp<mnemonic, "contraction", roles, traits>;

def ConvolutionOp : ContractOp<"convolution", "vv", [Pure, InfersShape]> {
  let infoKind = "kConvolution";
  let extraClassDefinition = kInfersShape;
  let hasVerifier = 1;
  let arguments = (ins
    AnyHloTensor:$lhs, AnyAxisTensor:$rhs,
    OptI64Array:$window_strides, OptI64Elements:$padding,
    OptI64Array:$lhs_dilation, OptI64Array:$rhs_dilation,
    OptBoolArray:$window_reversal, ConvDimensionNumbersAttr:$dimension_numbers,
    I64Attr:$feature_group_count, I64Attr:$batch_group_count,
    OptPrecisionConfig:$precision_config);
  let results = (outs AnyAxisTensor:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers)
    `,` `window` `=` `{`
      custom<WindowAttributes>($window_strides, $padding, $lhs_dilation,
                               $rhs_dilation, $window_reversal)
    `}`
    attr-dict `:` functional-type(operands, results)
  }];
}

def DotGeneralOp : ContractOp<"dot_general", "vv", [Pure, InfersShape, Reifies]> {
  let builders = [];
  let skipDefaultBuilders = 0;
  let infoKind = "kMatmul";
  let extraClassDefinition = kInfersShape;
  let hasVerifier = 1;
  let arguments = (ins AnyHloTensor:$lhs, AnyAxisTensor:$rhs,
                       DotDimensionNumbersAttr:$dot_dimension_numbers,
                       OptPrecisionConfig:$precision_config,
                       OptionalAttr<DotAlgorithmAttr>:$algorithm);
  let results = (outs AnyAxisTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers)
    `` custom<PrecisionConfigAndAlgorithm>($precision_config, $algorithm)
    attr-dict `:` functional-type(operands, results)
  }];
}

def ReduceOp : ContractOp<"reduce", "VV",
    [RecursiveMemoryEffects, SameVariadicOperandSize,
     SingleBlockImplicitTerminator<"ReturnOp">, InfersTypes, Reifies]> {
  let infoStored = 1;
  let arguments = (ins Variadic<AnyHloTensor>:$inputs, Variadic<AnyHloTensor>:$init_values,
                       DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyHloTensor>:$results);
  let hasCustomAssemblyFormat = 1;
}

def ReduceWindowOp : ContractOp<"reduce_window", "VV",
    [RecursiveMemoryEffects, SameVariadicOperandSize,
     SingleBlockImplicitTerminator<"ReturnOp">, InfersTypes]> {
  let infoStored = 1;
  let arguments = (ins Variadic<AnyHloTensor>:$inputs, Variadic<AnyHloTensor>:$init_values,
                       DenseI64ArrayAttr:$window_dimensions, OptI64Array:$window_strides,
                       OptI64Array:$base_dilations, OptI64Array:$window_dilations,
                       OptI64Elements:$padding);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyHloTensor>:$results);
}

def SelectAndScatterOp : ContractOp<"select_and_scatter", "vvv",
    [RecursiveMemoryEffects, InfersTypes, ReifiesOperands]> {
  let infoStored = 1;
  let arguments = (ins AnyHloTensor:$operand, AnyHloTensor:$source, ScalarAny:$init_value,
                       OptI64Array:$window_dimensions, OptI64Array:$window_strides,
                       OptI64Elements:$padding);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let results = (outs AnyHloTensor:$result);
}

#endif  // OPBYOP_IR_STABLEHLO_CONTRACTION_TD_
