// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Infers the common shape of implicit broadcasts. Operands are aligned at their last dimensions, as in NumPy, or, for
// two operands of different rank, along `dimensions`.
//
//   InferBroadcast(site, {lhs, rhs}, std::nullopt, SameElement, types);  // [?], [?, 3] -> [?, 3]
#ifndef OPBYOP_IR_CHLO_BROADCAST_H_
#define OPBYOP_IR_CHLO_BROADCAST_H_

#include "ir/chlo/chlo.h"
#include "ir/stablehlo/infer.h"

namespace opbyop::chlo {

// Maps the element type of the operands to that of the result.
using ElementFunction = mlir::Type (*)(mlir::Type);
mlir::Type SameElement(mlir::Type element);
mlir::Type ComplexElement(mlir::Type element);
mlir::Type PredicateElement(mlir::Type element);

llvm::LogicalResult InferBroadcast(const stablehlo::Site& site, mlir::TypeRange operands,
                                   std::optional<llvm::ArrayRef<int64_t>> dimensions, ElementFunction element,
                                   stablehlo::Types& types);
llvm::LogicalResult ReifyBroadcast(mlir::OpBuilder& builder, mlir::Operation* op, mlir::ValueRange operands,
                                   mlir::DenseI64ArrayAttr dimensions, llvm::SmallVectorImpl<mlir::Value>& shapes);

}  // namespace opbyop::chlo

#endif  // OPBYOP_IR_CHLO_BROADCAST_H_
