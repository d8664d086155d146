// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise ops with two or more operands.
#ifndef OPBYOP_IR_STABLEHLO_ELEMENTWISE_BINARY_TD_
#define OPBYOP_IR_STABLEHLO_ELEMENTWISE_BINARY_TD_

include "ir/stablehlo/attributes.td"

class BinaryOp<string mnemonic, TypeConstraint tensor, bit commutative = 0>
    : HloOp<mnemonic, "elementwise", "vv",
            !listconcat([Elementwise<InfersMerged>], !if(commutative, [Commutative], []<Trait>))> {
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs tensor:$result);
  let infoCommutative = commutative;
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
    custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
}

def AddOp : BinaryOp<"add", AnyAxisTensor, 1> {
  let hasVerifier = 1;
}
def AndOp : BinaryOp<"and", PredOrIntTensor, 1>;
def Atan2Op : BinaryOp<"atan2", FloatComplexOrQuantTensor>;
def DivOp : BinaryOp<"divide", IntFloatComplexOrQuantTensor>;
def MaxOp : BinaryOp<"maximum", AnyHloTensor, 1>;
def MinOp : BinaryOp<"minimum", AnyHloTensor, 1>;
def MulOp : BinaryOp<"multiply", AnyHloTensor, 1>;
def OrOp : BinaryOp<"or", PredOrIntTensor, 1>;
def PowOp : BinaryOp<"power", IntFloatComplexOrQuantTensor>;
def RemOp : BinaryOp<"remainder", IntFloatComplexOrQuantTensor>;
def ShiftLeftOp : BinaryOp<"shift_left", IntTensor>;
def ShiftRightArithmeticOp : BinaryOp<"shift_right_arithmetic", IntTensor>;
def ShiftRightLogicalOp : BinaryOp<"shift_right_logical", IntTensor>;
def SubtractOp : BinaryOp<"subtract", IntFloatComplexOrQuantTensor>;
def XorOp : BinaryOp<"xor", PredOrIntTensor, 1>;

def ComplexOp : HloOp<"complex", "elementwise", "vv", [Elementwise<InfersTypes>]> {
  let arguments = (ins F32Or64Tensor:$lhs, F32Or64Tensor:$rhs);
  let results = (outs ComplexTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))
  }];
}

def CompareOp : HloOp<"compare", "elementwise", "vv",
                      [Elementwise<InfersPredicate>, SameOperandElements]> {
  let builders = [];
  let skipDefaultBuilders = 0;
  let arguments = (ins AnyHloTensor:$lhs, AnyHloTensor:$rhs,
                       ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<ComparisonTypeAttr>:$compare_type);
  let results = (outs PredTensor:$result);
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def SelectOp : HloOp<"select", "elementwise", "vvv", [Pure, InfersTypes, Reifies]> {
  let arguments = (ins PredTensor:$pred, AnyHloTensor:$on_true, AnyHloTensor:$on_false);
  let results = (outs AnyHloTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:`
    custom<SelectOpType>(type($pred), type($on_true), type($on_false), type($result))
  }];
}

def ClampOp : HloOp<"clamp", "elementwise", "vvv", [Pure, InfersTypes, Reifies]> {
  let arguments = (ins AnyHloTensor:$min, AnyHloTensor:$operand, AnyHloTensor:$max);
  let results = (outs AnyHloTensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:`
    custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
}

def MapOp : HloOp<"map", "elementwise", "V",
                  [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">,
                   InfersTypes, ReifiesOperands]> {
  let infoKind = "kElementwiseTernary";
  let infoStored = 1;
  let arguments = (ins Variadic<AnyHloTensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs AnyHloTensor:$result);
}

#endif  // OPBYOP_IR_STABLEHLO_ELEMENTWISE_BINARY_TD_
