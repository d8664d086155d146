// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that move elements without computing on them, and sort.
#ifndef OPBYOP_IR_STABLEHLO_DATA_MOVEMENT_TD_
#define OPBYOP_IR_STABLEHLO_DATA_MOVEMENT_TD_

include "ir/stablehlo/attributes.td"

class MoveOp<string mnemonic, string roles, list<Trait> traits = [Pure, InfersTypes]>
    : HloOp<mnemonic, "data movement", roles, traits>;

def BroadcastInDimOp : MoveOp<"broadcast_in_dim", "v", [Pure]> {
  let builders = [];
  let skipDefaultBuilders = 0;
  let infoKind = "kBroadcast";
  let hasVerifier = 1;
  let arguments = (ins AnyAxisTensor:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs AnyAxisTensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)";
}

def ConcatenateOp : MoveOp<"concatenate", "V", [Pure, InfersTypes, Reifies]> {
  let builders = [];
  let skipDefaultBuilders = 0;
  let arguments = (ins Variadic<AnyHloTensor>:$inputs, I64Attr:$dimension);
  let results = (outs AnyHloTensor:$result);
  let assemblyFormat = [{
    custom<VariadicOperandWithAttribute>($inputs) `dim` `=` $dimension
    attr-dict `:` functional-type(operands, results)
  }];
}

def DynamicSliceOp : MoveOp<"dynamic_slice", "vI"> {
  let builders = [];
  let skipDefaultBuilders = 0;
  let arguments = (ins AnyHloTensor:$operand, Variadic<ScalarInt>:$start_indices,
                       DenseI64ArrayAttr:$slice_sizes);
  let results = (outs AnyHloTensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<VariadicOperandWithAttribute>($start_indices)
    `sizes` `=` $slice_sizes
    attr-dict `:` functional-type(operands, results)
  }];
}

def DynamicUpdateSliceOp : MoveOp<"dynamic_update_slice", "vvI",
    [Pure, InfersTypes, ReifiesOperands]> {
  let builders = [];
  let skipDefaultBuilders = 0;
  let arguments = (ins AnyHloTensor:$operand, AnyHloTensor:$update,
                       Variadic<ScalarInt>:$start_indices);
  let results = (outs AnyHloTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def GatherOp : MoveOp<"gather", "vi", [Pure, InfersTypes, Reifies]> {
  let arguments = (ins AnyHloTensor:$operand, IndexLikeTensor:$start_indices,
                       GatherDimensionNumbersAttr:$dimension_numbers,
                       DenseI64ArrayAttr:$slice_sizes, FalseAttr:$indices_are_sorted);
  let results = (outs AnyHloTensor:$result);
}

def PadOp : MoveOp<"pad", "vv", [Pure, SameOperandElements, InfersTypes, Reifies]> {
  let arguments = (ins AnyHloTensor:$operand, ScalarAny:$padding_value,
                       DenseI64ArrayAttr:$edge_padding_low,
                       DenseI64ArrayAttr:$edge_padding_high,
                       DenseI64ArrayAttr:$interior_padding);
  let results = (outs AnyHloTensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low
    `,` `high` `=` $edge_padding_high `,` `interior` `=` $interior_padding
    attr-dict `:` functional-type(operands, results)
  }];
}

def ReshapeOp : MoveOp<"reshape", "v", [Pure]> {
  let hasVerifier = 1;
  let arguments = (ins AnyAxisTensor:$operand);
  let results = (outs AnyAxisTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def ReverseOp : MoveOp<"reverse", "v", [Pure, InfersTypes, ReifiesOperands]> {
  let arguments = (ins AnyHloTensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs AnyHloTensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

def ScatterOp : MoveOp<"scatter", "ViV",
    [RecursiveMemoryEffects, SameVariadicOperandSize,
     SingleBlockImplicitTerminator<"ReturnOp">, InfersTypes, ReifiesOperands]> {
  let arguments = (ins Variadic<AnyHloTensor>:$inputs, IndexLikeTensor:$scatter_indices,
                       Variadic<AnyHloTensor>:$updates,
                       ScatterDimensionNumbersAttr:$scatter_dimension_numbers,
                       FalseAttr:$indices_are_sorted, FalseAttr:$unique_indices);
  let regions = (region SizedRegion<1>:$update_computation);
  let results = (outs Variadic<AnyHloTensor>:$results);
}

def SliceOp : MoveOp<"slice", "v"> {
  let builders = [];
  let skipDefaultBuilders = 0;
  let arguments = (ins AnyHloTensor:$operand, DenseI64ArrayAttr:$start_indices,
                       DenseI64ArrayAttr:$limit_indices, DenseI64ArrayAttr:$strides);
  let results = (outs AnyHloTensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides)
    attr-dict `:` functional-type(operands, results)
  }];
}

def SortOp : MoveOp<"sort", "V",
    [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">,
     InfersTypes, ReifiesOperands]> {
  let arguments = (ins Variadic<AnyHloTensor>:$inputs,
                       DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
                       FalseAttr:$is_stable);
  let regions = (region SizedRegion<1>:$comparator);
  let results = (outs Variadic<AnyHloTensor>:$results);
}

def TransposeOp : MoveOp<"transpose", "v", [Pure, InfersTypes, Reifies]> {
  let hasRegionVerifier = 1;
  let arguments = (ins AnyAxisTensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs AnyAxisTensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)";
}

#endif  // OPBYOP_IR_STABLEHLO_DATA_MOVEMENT_TD_
