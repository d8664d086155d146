// Constraints that many ops share, as ODS traits (see base.td).
#ifndef OPBYOP_IR_STABLEHLO_TRAITS_H_
#define OPBYOP_IR_STABLEHLO_TRAITS_H_

#include "mlir/IR/OpDefinition.h"

namespace opbyop::stablehlo {

llvm::LogicalResult VerifySameShape(mlir::Operation* op);
llvm::LogicalResult VerifySameType(mlir::Operation* op);
llvm::LogicalResult VerifySameOperandElements(mlir::Operation* op);

template <typename ConcreteType>
struct SameShape : mlir::OpTrait::TraitBase<ConcreteType, SameShape> {
  static llvm::LogicalResult verifyTrait(mlir::Operation* op) { return VerifySameShape(op); }
};

template <typename ConcreteType>
struct SameType : mlir::OpTrait::TraitBase<ConcreteType, SameType> {
  static llvm::LogicalResult verifyTrait(mlir::Operation* op) { return VerifySameType(op); }
};

template <typename ConcreteType>
struct SameOperandElements : mlir::OpTrait::TraitBase<ConcreteType, SameOperandElements> {
  static llvm::LogicalResult verifyTrait(mlir::Operation* op) { return VerifySameOperandElements(op); }
};

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_TRAITS_H_
