// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise ops with one operand.
#ifndef OPBYOP_IR_STABLEHLO_ELEMENTWISE_UNARY_TD_
#define OPBYOP_IR_STABLEHLO_ELEMENTWISE_UNARY_TD_

include "ir/stablehlo/attributes.td"

class UnaryOp<string mnemonic, TypeConstraint operand, TypeConstraint result,
              Trait inference = InfersMerged>
    : HloOp<mnemonic, "elementwise", "v", [Elementwise<inference>]> {
  let arguments = (ins operand:$operand);
  let results = (outs result:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

// A transcendental function may state how accurate its result has to be.
class AccurateUnaryOp<string mnemonic>
    : UnaryOp<mnemonic, FloatComplexOrQuantTensor, FloatComplexOrQuantTensor> {
  let arguments = (ins FloatComplexOrQuantTensor:$operand,
                       OptResultAccuracy:$result_accuracy);
}

// The magnitude of a complex tensor is real.
def AbsOp : UnaryOp<"abs", SIntFloatComplexOrQuantTensor,
                    Tensor<[SIntElement, FloatElement, QuantElement]>, InfersReal>;
def CbrtOp : AccurateUnaryOp<"cbrt">;
def CeilOp : UnaryOp<"ceil", FloatOrQuantTensor, FloatOrQuantTensor>;
def ClzOp : UnaryOp<"count_leading_zeros", IntTensor, IntTensor>;
def ConvertOp : HloOp<"convert", "elementwise", "v", [Pure, SameShape, ReifiesOperands]> {
  let arguments = (ins PlainTensor:$operand);
  let results = (outs PlainTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}
def CosineOp : AccurateUnaryOp<"cosine">;
def ExpOp : AccurateUnaryOp<"exponential">;
def Expm1Op : AccurateUnaryOp<"exponential_minus_one">;
def FloorOp : UnaryOp<"floor", FloatOrQuantTensor, FloatOrQuantTensor>;
def ImagOp : UnaryOp<"imag", FloatOrComplexTensor, FloatTensor, InfersReal>;
def IsFiniteOp : UnaryOp<"is_finite", FloatOrQuantTensor, PredTensor, InfersPredicate> {
  let arguments = (ins FloatOrQuantTensor:$x);
  let results = (outs PredTensor:$y);
  let assemblyFormat = [{
    $x attr-dict `:` custom<SameOperandsAndResultType>(type($x), type($y))
  }];
}
def LogOp : AccurateUnaryOp<"log">;
def Log1pOp : AccurateUnaryOp<"log_plus_one">;
def LogisticOp : AccurateUnaryOp<"logistic">;
def NegOp : UnaryOp<"negate", IntFloatComplexOrQuantTensor, IntFloatComplexOrQuantTensor>;
def NotOp : UnaryOp<"not", PredOrIntTensor, PredOrIntTensor>;
def PopulationCountOp : UnaryOp<"popcnt", IntTensor, IntTensor>;
def RealOp : UnaryOp<"real", FloatOrComplexTensor, FloatTensor, InfersReal>;
def RoundOp : UnaryOp<"round_nearest_afz", FloatOrQuantTensor, FloatOrQuantTensor>;
def RoundNearestEvenOp
    : UnaryOp<"round_nearest_even", FloatOrQuantTensor, FloatOrQuantTensor>;
def RsqrtOp : AccurateUnaryOp<"rsqrt">;
def SignOp : UnaryOp<"sign", SIntFloatComplexOrQuantTensor, SIntFloatComplexOrQuantTensor>;
def SineOp : AccurateUnaryOp<"sine">;
def SqrtOp : AccurateUnaryOp<"sqrt">;
def TanOp : AccurateUnaryOp<"tan">;
def TanhOp : AccurateUnaryOp<"tanh">;

def ReducePrecisionOp
    : HloOp<"reduce_precision", "elementwise", "v", [Elementwise<InfersMerged>]> {
  let arguments = (ins FloatOrQuantTensor:$operand, I32Attr:$exponent_bits,
                       I32Attr:$mantissa_bits);
  let results = (outs FloatOrQuantTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits)
    attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
  let hasVerifier = 1;
}

def BitcastConvertOp : HloOp<"bitcast_convert", "elementwise", "v", [Pure]> {
  let infoStored = 1;
  let arguments = (ins AnyAxisTensor:$operand);
  let results = (outs AnyAxisTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif  // OPBYOP_IR_STABLEHLO_ELEMENTWISE_UNARY_TD_
