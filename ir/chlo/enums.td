// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The CHLO dialect and its attributes. These are the same as StableHLO's, but are
// written `#chlo<...>`.
#ifndef OPBYOP_IR_CHLO_ENUMS_TD_
#define OPBYOP_IR_CHLO_ENUMS_TD_

include "ir/stablehlo/base.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::opbyop::chlo";
  let summary = "Operations that frontends emit in addition to StableHLO";
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
   private:
    void RegisterAttributes();
    // One function per file of op records, so that each file is compiled by itself.
    void RegisterBroadcastOps();
    void RegisterOps();
    void RegisterBytecode();

   public:
  }];
}

class ChloEnum<string name, list<I32EnumAttrCase> cases> : I32EnumAttr<name, name, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::opbyop::chlo";
}
class ChloEnumAttr<I32EnumAttr enumeration, string mnemonic>
    : EnumAttr<Chlo_Dialect, enumeration, mnemonic>;

def Chlo_ComparisonDirection : ChloEnum<"ComparisonDirection", [
  I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
  I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def Chlo_ComparisonDirectionAttr : ChloEnumAttr<Chlo_ComparisonDirection, "comparison_direction">;

def Chlo_ComparisonType : ChloEnum<"ComparisonType", [
  I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
  I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
  I32EnumAttrCase<"UNSIGNED", 4>]>;
def Chlo_ComparisonTypeAttr : ChloEnumAttr<Chlo_ComparisonType, "comparison_type">;

def Chlo_Precision : ChloEnum<"Precision", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
  I32EnumAttrCase<"HIGHEST", 2>]>;
def Chlo_PrecisionAttr : ChloEnumAttr<Chlo_Precision, "precision">;
def Chlo_PrecisionConfigAttr : TypedArrayAttrBase<Chlo_PrecisionAttr, "Precision Config attribute">;

def ChloDims : ArrayRefParameter<"int64_t", "dimensions">;
def Chlo_RaggedDotDimensionNumbersAttr : AttrDef<Chlo_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let parameters = (ins
    ChloDims:$lhs_batching_dimensions, ChloDims:$rhs_batching_dimensions,
    ChloDims:$lhs_contracting_dimensions, ChloDims:$rhs_contracting_dimensions,
    ChloDims:$lhs_ragged_dimensions, ChloDims:$rhs_group_dimensions);
  let hasCustomAssemblyFormat = 1;
}

#endif  // OPBYOP_IR_CHLO_ENUMS_TD_
