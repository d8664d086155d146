// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Constraints that many ops share, as ODS traits (see base.td).
#ifndef OPBYOP_IR_STABLEHLO_TRAITS_H_
#define OPBYOP_IR_STABLEHLO_TRAITS_H_

#include "ir/stablehlo/site.h"
#include "mlir/IR/OpDefinition.h"

namespace opbyop::stablehlo {

llvm::LogicalResult VerifySameShape(mlir::Operation* op);
llvm::LogicalResult VerifySameOperandElements(mlir::Operation* op);

// Computes the result shapes as those of the first operands, one per result of the op.
llvm::LogicalResult ReifyShapesOf(mlir::OpBuilder& builder, mlir::Operation* op, mlir::ValueRange operands,
                                  llvm::SmallVectorImpl<mlir::Value>& shapes);

template <typename ConcreteType>
struct SameShape : mlir::OpTrait::TraitBase<ConcreteType, SameShape> {
  static llvm::LogicalResult verifyTrait(mlir::Operation* op) { return VerifySameShape(op); }
};

// The methods of these two traits are defined in their records in base.td.
template <typename ConcreteType>
struct InfersTypes : mlir::OpTrait::TraitBase<ConcreteType, InfersTypes> {};

template <typename ConcreteType>
struct ReifiesShape : mlir::OpTrait::TraitBase<ConcreteType, ReifiesShape> {};

template <typename ConcreteType>
struct SameOperandElements : mlir::OpTrait::TraitBase<ConcreteType, SameOperandElements> {
  static llvm::LogicalResult verifyTrait(mlir::Operation* op) { return VerifySameOperandElements(op); }
};

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_TRAITS_H_
