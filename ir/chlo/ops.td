// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHLO ops that do not broadcast.
#ifndef OPBYOP_IR_CHLO_OPS_TD_
#define OPBYOP_IR_CHLO_OPS_TD_

include "ir/chlo/base.td"

class ChloUnaryOp<string mnemonic, TypeConstraint operand, TypeConstraint result,
                  Trait inference = InfersMerged>
    : ChloOp<mnemonic, "v", [Elementwise<inference>]> {
  let arguments = (ins operand:$operand);
  let results = (outs result:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def Chlo_AsinAcosKernelOp : ChloUnaryOp<"_asin_acos_kernel", ComplexChlo, ComplexChlo>;
def Chlo_AcosOp : ChloUnaryOp<"acos", FloatOrComplexChlo, FloatOrComplexChlo>;
def Chlo_AcoshOp : ChloUnaryOp<"acosh", FloatOrComplexChlo, FloatOrComplexChlo>;
def Chlo_AsinOp : ChloUnaryOp<"asin", FloatOrComplexChlo, FloatOrComplexChlo>;
def Chlo_AsinhOp : ChloUnaryOp<"asinh", FloatOrComplexChlo, FloatOrComplexChlo>;
def Chlo_AtanOp : ChloUnaryOp<"atan", FloatOrComplexChlo, FloatOrComplexChlo>;
def Chlo_AtanhOp : ChloUnaryOp<"atanh", FloatOrComplexChlo, FloatOrComplexChlo>;
def Chlo_BesselI1eOp : ChloUnaryOp<"bessel_i1e", FloatOrComplexChlo, FloatOrComplexChlo>;
def Chlo_ConjOp : ChloUnaryOp<"conj", FloatOrComplexChlo, FloatOrComplexChlo>;
def Chlo_CoshOp : ChloUnaryOp<"cosh", FloatOrComplexChlo, FloatOrComplexChlo>;
def Chlo_DigammaOp : ChloUnaryOp<"digamma", FloatChlo, FloatChlo>;
def Chlo_ErfOp : ChloUnaryOp<"erf", FloatChlo, FloatChlo>;
def Chlo_ErfInvOp : ChloUnaryOp<"erf_inv", FloatChlo, FloatChlo>;
def Chlo_ErfcOp : ChloUnaryOp<"erfc", FloatChlo, FloatChlo>;
def Chlo_LgammaOp : ChloUnaryOp<"lgamma", FloatChlo, FloatChlo>;
def Chlo_SinhOp : ChloUnaryOp<"sinh", FloatOrComplexChlo, FloatOrComplexChlo>;
def Chlo_SquareOp : ChloUnaryOp<"square", FloatOrComplexChlo, FloatOrComplexChlo>;
def Chlo_TanOp : ChloUnaryOp<"tan", FloatOrComplexChlo, FloatOrComplexChlo>;
def Chlo_IsInfOp : ChloUnaryOp<"is_inf", FloatChlo, PredChlo, InfersPredicate>;
def Chlo_IsNegInfOp : ChloUnaryOp<"is_neg_inf", FloatChlo, PredChlo, InfersPredicate>;
def Chlo_IsPosInfOp : ChloUnaryOp<"is_pos_inf", FloatChlo, PredChlo, InfersPredicate>;

class ChloBinaryOp<string mnemonic, list<Trait> traits = []>
    : ChloOp<mnemonic, "vv", !listconcat([Elementwise<InfersMerged>], traits)>;

def Chlo_MulhiOp : ChloBinaryOp<"mulhi", [Commutative]> {
  let arguments = (ins IntTensor:$lhs, IntTensor:$rhs);
  let results = (outs IntTensor:$result);
  let infoCommutative = 1;
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
}

def Chlo_NextAfterOp : ChloBinaryOp<"next_after"> {
  let arguments = (ins FloatChlo:$x, FloatChlo:$y);
  let results = (outs FloatChlo:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x) `,` type($y) `->` type(results)";
}

def Chlo_PolygammaOp : ChloBinaryOp<"polygamma"> {
  let arguments = (ins FloatChlo:$n, FloatChlo:$x);
  let results = (outs FloatChlo:$result);
  let assemblyFormat = "$n `,` $x attr-dict `:` type($n) `,` type($x) `->` type(results)";
}

def Chlo_ZetaOp : ChloBinaryOp<"zeta"> {
  let arguments = (ins FloatChlo:$x, FloatChlo:$q);
  let results = (outs FloatChlo:$result);
  let assemblyFormat = "$x `,` $q attr-dict `:` type($x) `,` type($q) `->` type(results)";
}

def Chlo_ConstantOp : ChloOp<"constant", "", [ConstantLike, Pure, AllTypesMatch<["value", "output"]>]> {
  let infoKind = "kTensorCreation";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyHloTensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

// Repeats a value in the shape of an operand.
def Chlo_ConstantLikeOp : ChloOp<"constant_like", "v", [Elementwise<InfersTypes>]> {
  let infoKind = "kTensorCreation";
  let arguments = (ins TypedAttrInterface:$value, AnyChlo:$operand);
  let results = (outs AnyChlo:$result);
}

def Chlo_TopKOp : ChloOp<"top_k", "v", [Pure, InfersTypes]> {
  let infoKind = "kDataMovement";
  let infoStored = 1;
  let arguments = (ins AnyChlo:$operand, I64Attr:$k,
                       DefaultValuedOptionalAttr<BoolAttr, "true">:$is_stable);
  let results = (outs AnyChlo:$values, AnyChlo:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)? `)` attr-dict `:`
    type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
}

def Chlo_RaggedDotOp : ChloOp<"ragged_dot", "vvs", [Pure, InfersShape]> {
  let infoKind = "kMatmul";
  let arguments = (ins AnyChlo:$lhs, AnyChlo:$rhs, IntTensor:$group_sizes,
                       Chlo_RaggedDotDimensionNumbersAttr:$ragged_dot_dimension_numbers,
                       OptionalAttr<Chlo_PrecisionConfigAttr>:$precision_config);
  let results = (outs AnyChlo:$result);
  let hasVerifier = 1;
}

// Carries a state along a dimension. The body takes one slice of each input and
// the carries, and returns one slice of each output and the next carries.
def Chlo_ScanOp : ChloOp<"scan", "VV",
    [AttrSizedOperandSegments, AttrSizedResultSegments, IsolatedFromAbove,
     RecursiveMemoryEffects]> {
  let infoKind = "kReduction";
  let infoStored = 1;
  let arguments = (ins Variadic<AnyChlo>:$inputs, Variadic<AnyChlo>:$inits,
                       I64Attr:$dimension, OptionalAttr<I64Attr>:$scan_dim_size,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
                       OptionalAttr<BoolAttr>:$is_associative);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyChlo>:$outputs, Variadic<AnyChlo>:$carries);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif  // OPBYOP_IR_CHLO_OPS_TD_
