// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Definitions that all StableHLO records share: the dialect, element and tensor
// constraints, op base classes and the facts that ir/op_info.h publishes.
#ifndef OPBYOP_IR_STABLEHLO_BASE_TD_
#define OPBYOP_IR_STABLEHLO_BASE_TD_

include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "ir/op_info.td"

def Stablehlo_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::opbyop::stablehlo";
  let summary = "The StableHLO operation set";
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 0;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser& parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter& printer) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser& parser) const override;
    void printType(::mlir::Type type,
                   ::mlir::DialectAsmPrinter& printer) const override;

   private:
    void RegisterAttributes();
    void RegisterTypes();
    // One function per file of op records, so that each file is compiled by itself.
    void RegisterControlFlowOps();
    void RegisterContractionOps();
    void RegisterDataMovementOps();
    void RegisterDistributionOps();
    void RegisterDynamismOps();
    void RegisterElementwiseBinaryOps();
    void RegisterElementwiseUnaryOps();
    void RegisterMiscOps();
    void RegisterBytecode();

   public:
  }];
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

class Element<string predicate, string summary>
    : Type<CPred<"::opbyop::stablehlo::" # predicate # "($_self)">, summary>;

def PredElement : Element<"IsBoolean", "bool">;
def IntElement : Element<"IsInteger",
    "2/4/8/16/32/64-bit signless or unsigned integer">;
def SIntElement : Element<"IsSignedInteger", "2/4/8/16/32/64-bit signed integer">;
def FloatElement : Element<"IsFloat", "floating-point">;
def F32Or64Element : Element<"IsF32OrF64", "f32 or f64">;
def ComplexElement : Element<"IsComplex", "complex type with f32 or f64 elements">;
def QuantElement : Element<"IsPerTensorQuantized", "per-tensor quantized integer">;
def AxisQuantElement : Element<"IsPerAxisQuantized", "per-axis quantized integer">;
def IndexElement : Element<"IsIndex", "index">;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

class Tensor<list<Type> elements>
    : Type<And<[RankedTensorOf<elements>.predicate,
                CPred<"::opbyop::stablehlo::IsWellQuantized($_self)">]>,
           RankedTensorOf<elements>.summary, "::mlir::RankedTensorType">;
class TensorOfRank<int rank, list<Type> elements>
    : Type<
          And<[RankedTensorOf<elements>.predicate,
               CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == " # rank>]>,
          rank # "D tensor of " # !interleave(!foreach(e, elements, e.summary), " or "),
          "::mlir::RankedTensorType">;

defvar kPlain = [FloatElement, PredElement, IntElement, ComplexElement];
defvar kAny = [FloatElement, PredElement, IntElement, ComplexElement, QuantElement];
defvar kAnyAxis = [FloatElement, PredElement, IntElement, ComplexElement,
                   QuantElement, AxisQuantElement];

def PlainTensor : Tensor<kPlain>;
def AnyHloTensor : Tensor<kAny>;
def AnyAxisTensor : Tensor<kAnyAxis>;
def PredTensor : Tensor<[PredElement]>;
def IntTensor : Tensor<[IntElement]>;
def PredOrIntTensor : Tensor<[PredElement, IntElement]>;
def FloatTensor : Tensor<[FloatElement]>;
def F32Or64Tensor : Tensor<[F32Or64Element]>;
def ComplexTensor : Tensor<[ComplexElement]>;
def FloatOrComplexTensor : Tensor<[FloatElement, ComplexElement]>;
def FloatOrQuantTensor : Tensor<[FloatElement, QuantElement]>;
def FloatComplexOrQuantTensor : Tensor<[FloatElement, ComplexElement, QuantElement]>;
def IntFloatComplexOrQuantTensor
    : Tensor<[IntElement, FloatElement, ComplexElement, QuantElement]>;
def IntFloatOrComplexTensor : Tensor<[IntElement, FloatElement, ComplexElement]>;
def SIntFloatComplexOrQuantTensor
    : Tensor<[SIntElement, FloatElement, ComplexElement, QuantElement]>;
def PredIntOrFloatTensor : Tensor<[PredElement, IntElement, FloatElement]>;
def QuantTensor : Tensor<[QuantElement, AxisQuantElement]>;
def FloatOrAnyQuantTensor : Tensor<[FloatElement, QuantElement, AxisQuantElement]>;
def IndexLikeTensor : Tensor<[IntElement, IndexElement]>;
def ShapeTensor : TensorOfRank<1, [IndexElement, IntElement]>;
def ScalarAny : TensorOfRank<0, kAny>;
def ScalarInt : TensorOfRank<0, [IntElement]>;
def ScalarPredIntOrFloat : TensorOfRank<0, [PredElement, IntElement, FloatElement]>;
def ScalarPred : TensorOfRank<0, [PredElement]>;
def ScalarI32 : 0DTensorOf<[I32]>;
def FloatVector : TensorOfRank<1, [FloatElement, QuantElement]>;

//===----------------------------------------------------------------------===//
// Traits. Bodies: ir/stablehlo/traits.h.
//===----------------------------------------------------------------------===//

class HloTrait<string name, code declaration = [{}], code definition = [{}]>
    : NativeOpTrait<name, [], declaration, definition> {
  let cppNamespace = "::opbyop::stablehlo";
}
// Operands and results have the same shape; element types may differ.
def SameShape : HloTrait<"SameShape">;
// All operands have the same element type.
def SameOperandElements : HloTrait<"SameOperandElements">;

// Infers result types from operands, attributes and regions with `body`, which
// may use `site`, `op` (the adaptor), `operands` and `types`. The op can then be
// built without result types, and the verifier compares declared with inferred
// types.
class InfersBy<code body, code declaration = [{}]> : TraitList<[
  DeclareOpInterfaceMethods<InferTypeOpInterface>,
  HloTrait<"InfersTypes", declaration # [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange a, ::mlir::TypeRange b);
  }], [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext* context, ::std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type>& types) {
      ::opbyop::stablehlo::Site site(location, getOperationName());
      [[maybe_unused]] Adaptor op(operands, attributes, properties, regions);
      }] # body # [{
    }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange a, ::mlir::TypeRange b) {
      return ::opbyop::stablehlo::CompatibleTypes(a, b);
    }
  }]>]>;

// Infers with the op's own function, which is next to the verifiers. It also
// checks all constraints that do not involve the result, except for the ops of the
// records below.
def InfersTypes : InfersBy<[{ return Infer(site, op, types); }], [{
  static ::llvm::LogicalResult Infer(const ::opbyop::stablehlo::Site& site, Adaptor op,
                                     ::llvm::SmallVectorImpl<::mlir::Type>& types);
}]>;
// One result with the same elements as all operands (quantization parameters may
// differ) and a compatible shape.
def InfersMerged : InfersBy<
    [{ return ::mlir::success(
           ::mlir::succeeded(::opbyop::stablehlo::Merge(site, operands.getTypes(),
                                                        types.emplace_back()))); }]>;
// The same, but with elements of i1.
def InfersPredicate : InfersBy<
    [{ return ::mlir::success(::mlir::succeeded(::opbyop::stablehlo::Merge(
           site, operands.getTypes(), ::mlir::IntegerType::get(context, 1),
           types.emplace_back()))); }]>;
// The same, but complex elements become their real parts.
def InfersReal : InfersBy<
    [{ types.push_back(::opbyop::stablehlo::RealPart(operands.front().getType()));
       return ::mlir::success(); }]>;
// One result per operand, with the type of the operand.
def InfersOperands : InfersBy<
    [{ ::llvm::append_range(types, operands.getTypes());
       return ::mlir::success(); }]>;

// Computes result shapes at run time: with the op's own function, or as those of
// the first operands, one per result.
def Reifies : DeclareOpInterfaceMethods<InferShapedTypeOpInterface, ["reifyReturnTypeShapes"]>;
def ReifiesOperands : TraitList<[
  Reifies,
  HloTrait<"ReifiesShape", [{}], [{
    ::llvm::LogicalResult $cppClass::reifyReturnTypeShapes(
        ::mlir::OpBuilder& builder, ::mlir::ValueRange operands,
        ::llvm::SmallVectorImpl<::mlir::Value>& shapes) {
      return ::opbyop::stablehlo::ReifyShapesOf(builder, getOperation(), operands, shapes);
    }
  }]>]>;
// Elementwise ops: results have the shape of the operands and elements by
// `inference`.
class Elementwise<Trait inference> : TraitList<[Pure, inference, ReifiesOperands]>;
// The shape follows from the operands, but the elements do not (see dot). The op's overload in infer_shape.h infers the
// shape; the op's extraClassDefinition must be kInfersShape, which calls it.
def InfersShape : DeclareOpInterfaceMethods<InferShapedTypeOpInterface,
                                            ["inferReturnTypeComponents"]>;
defvar kInfersShape = [{
  ::llvm::LogicalResult $cppClass::inferReturnTypeComponents(
      ::mlir::MLIRContext* context, ::std::optional<::mlir::Location> location,
      ::mlir::ValueShapeRange operands, ::mlir::DictionaryAttr attributes,
      ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
      ::llvm::SmallVectorImpl<::mlir::ShapedTypeComponents>& components) {
    return ::opbyop::stablehlo::InferComponents<$cppClass>(
        context, location, Adaptor(operands, attributes, properties, regions), components);
  }
}];

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

class HloOp<string mnemonic, string category, string roles,
            list<Trait> traits = []>
    : Op<Stablehlo_Dialect, mnemonic, traits>, OpInfo<category, roles> {
  let infoName = "stablehlo." # mnemonic;
  let builders = !if(!empty(regions), [PlainBuilder], []);
  let skipDefaultBuilders = !empty(regions);
}


def OptI64Array : OptionalAttr<DenseI64ArrayAttr>;
def OptBoolArray : OptionalAttr<DenseBoolArrayAttr>;
def OptI64Elements : OptionalAttr<I64ElementsAttr>;
def FalseAttr : DefaultValuedOptionalAttr<BoolAttr, "false">;

#endif  // OPBYOP_IR_STABLEHLO_BASE_TD_
