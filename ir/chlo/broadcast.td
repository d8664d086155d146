// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise ops that broadcast their operands, as NumPy does or along
// broadcast_dimensions.
#ifndef OPBYOP_IR_CHLO_BROADCAST_TD_
#define OPBYOP_IR_CHLO_BROADCAST_TD_

include "ir/chlo/base.td"

// `element` maps the element type of the operands to that of the result.
class InfersBroadcast<string element>
    : InfersBy<[{ return InferBroadcast(site, operands.getTypes(), op.getBroadcastDimensions(),
                                        }] # element # [{, types); }]>;

class ChloBroadcastOp<string mnemonic, TypeConstraint operand, TypeConstraint result,
                      bit commutative = 0, string element = "SameElement">
    : ChloOp<"broadcast_" # mnemonic, "vv",
             !listconcat([Pure, InfersBroadcast<element>, Reifies],
                         !if(commutative, [Commutative], []<Trait>))> {
  let arguments = (ins operand:$lhs, operand:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs result:$result);
  let infoCommutative = commutative;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::reifyReturnTypeShapes(
        ::mlir::OpBuilder& builder, ::mlir::ValueRange operands,
        ::llvm::SmallVectorImpl<::mlir::Value>& shapes) {
      return ReifyBroadcast(builder, *this, operands, getBroadcastDimensionsAttr(), shapes);
    }
  }];
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type(results)
  }];
}

def Chlo_BroadcastAddOp : ChloBroadcastOp<"add", AnyChlo, AnyChlo, 1>;
def Chlo_BroadcastAndOp : ChloBroadcastOp<"and", IntChlo, AnyChlo, 1>;
def Chlo_BroadcastAtan2Op : ChloBroadcastOp<"atan2", AnyChlo, AnyChlo>;
def Chlo_BroadcastDivOp : ChloBroadcastOp<"divide", AnyChlo, AnyChlo>;
def Chlo_BroadcastMaxOp : ChloBroadcastOp<"maximum", AnyChlo, AnyChlo, 1>;
def Chlo_BroadcastMinOp : ChloBroadcastOp<"minimum", AnyChlo, AnyChlo, 1>;
def Chlo_BroadcastMulOp : ChloBroadcastOp<"multiply", AnyChlo, AnyChlo, 1>;
def Chlo_BroadcastNextAfterOp : ChloBroadcastOp<"next_after", AnyChlo, AnyChlo>;
def Chlo_BroadcastOrOp : ChloBroadcastOp<"or", IntChlo, AnyChlo, 1>;
def Chlo_BroadcastPolygammaOp : ChloBroadcastOp<"polygamma", FloatChlo, FloatChlo>;
def Chlo_BroadcastPowOp : ChloBroadcastOp<"power", AnyChlo, AnyChlo>;
def Chlo_BroadcastRemOp : ChloBroadcastOp<"remainder", AnyChlo, AnyChlo>;
def Chlo_BroadcastShiftLeftOp : ChloBroadcastOp<"shift_left", AnyChlo, AnyChlo>;
def Chlo_BroadcastShiftRightArithmeticOp : ChloBroadcastOp<"shift_right_arithmetic", AnyChlo, AnyChlo>;
def Chlo_BroadcastShiftRightLogicalOp : ChloBroadcastOp<"shift_right_logical", AnyChlo, AnyChlo>;
def Chlo_BroadcastSubOp : ChloBroadcastOp<"subtract", AnyChlo, AnyChlo>;
def Chlo_BroadcastXorOp : ChloBroadcastOp<"xor", IntChlo, AnyChlo, 1>;
def Chlo_BroadcastZetaOp : ChloBroadcastOp<"zeta", FloatChlo, FloatChlo>;

def Chlo_BroadcastComplexOp : ChloBroadcastOp<"complex", FloatChlo, ComplexChlo, 0, "ComplexElement">;

def Chlo_BroadcastCompareOp : ChloBroadcastOp<"compare", AnyChlo, PredChlo, 0, "PredicateElement"> {
  let hasVerifier = 1;
  let arguments = (ins AnyChlo:$lhs, AnyChlo:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
                       Chlo_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<Chlo_ComparisonTypeAttr>:$compare_type);
}

def Chlo_BroadcastSelectOp : ChloOp<"broadcast_select", "vvv", [Pure, InfersTypes, Reifies]> {
  let arguments = (ins PredChlo:$pred, AnyChlo:$on_true, AnyChlo:$on_false);
  let results = (outs AnyChlo:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:`
    `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type(results)
  }];
}

#endif  // OPBYOP_IR_CHLO_BROADCAST_TD_
