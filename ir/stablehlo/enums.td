// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Enumerations of StableHLO and the attributes that hold them.
#ifndef OPBYOP_IR_STABLEHLO_ENUMS_TD_
#define OPBYOP_IR_STABLEHLO_ENUMS_TD_

include "ir/stablehlo/base.td"
include "mlir/IR/EnumAttr.td"

class HloEnum<string name, list<I32EnumAttrCase> cases> : I32EnumAttr<name, name, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::opbyop::stablehlo";
}
class HloEnumAttr<I32EnumAttr enumeration, string mnemonic>
    : EnumAttr<Stablehlo_Dialect, enumeration, mnemonic>;

def ComparisonDirection : HloEnum<"ComparisonDirection", [
  I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
  I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def ComparisonDirectionAttr : HloEnumAttr<ComparisonDirection, "comparison_direction">;

def ComparisonType : HloEnum<"ComparisonType", [
  I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
  I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
  I32EnumAttrCase<"UNSIGNED", 4>]>;
def ComparisonTypeAttr : HloEnumAttr<ComparisonType, "comparison_type">;

def Precision : HloEnum<"Precision", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
  I32EnumAttrCase<"HIGHEST", 2>]>;
def PrecisionAttr : HloEnumAttr<Precision, "precision">;
def PrecisionConfigAttr : TypedArrayAttrBase<PrecisionAttr, "Precision Config attribute">;
def OptPrecisionConfig : OptionalAttr<PrecisionConfigAttr>;

def FftType : HloEnum<"FftType", [
  I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>,
  I32EnumAttrCase<"RFFT", 2>, I32EnumAttrCase<"IRFFT", 3>]>;
def FftTypeAttr : HloEnumAttr<FftType, "fft_type">;

def Transpose : HloEnum<"Transpose", [
  I32EnumAttrCase<"TRANSPOSE_INVALID", 0>, I32EnumAttrCase<"NO_TRANSPOSE", 1>,
  I32EnumAttrCase<"TRANSPOSE", 2>, I32EnumAttrCase<"ADJOINT", 3>]>;
def TransposeAttr : HloEnumAttr<Transpose, "transpose">;

def RngAlgorithm : HloEnum<"RngAlgorithm", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>,
  I32EnumAttrCase<"PHILOX", 2>]>;
def RngAlgorithmAttr : HloEnumAttr<RngAlgorithm, "rng_algorithm">;

def RngDistribution : HloEnum<"RngDistribution", [
  I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def RngDistributionAttr : HloEnumAttr<RngDistribution, "rng_distribution">;

def ResultAccuracyMode : HloEnum<"ResultAccuracyMode", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>,
  I32EnumAttrCase<"TOLERANCE", 2>]>;
def ResultAccuracyModeAttr : HloEnumAttr<ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

def CustomCallApiVersion : I32EnumAttr<"CustomCallApiVersion", "Custom call API version", [
  I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>,
  I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
  I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>,
  I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
  I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  let cppNamespace = "::opbyop::stablehlo";
}

#endif  // OPBYOP_IR_STABLEHLO_ENUMS_TD_
