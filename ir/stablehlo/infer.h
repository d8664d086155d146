// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Infers result types from operands: sizes with their bounds, and the combination of the sizes of several tensors.
// One Infer function per op (see InfersBy in base.td) serves builders, the verifier and MLIR's type inference.
//
//   llvm::LogicalResult DotLikeOp::Infer(const Site& site, Adaptor op, Types& types) {
//     types.push_back(MakeTensor({ExtentOf(op.getLhs(), 0), ExtentOf(op.getRhs(), 1)}, ElementOf(op.getLhs())));
//     return mlir::success();
//   }
#ifndef OPBYOP_IR_STABLEHLO_INFER_H_
#define OPBYOP_IR_STABLEHLO_INFER_H_

#include "ir/stablehlo/verify.h"

namespace opbyop::stablehlo {

using Types = llvm::SmallVectorImpl<mlir::Type>;

using Extents = llvm::SmallVector<Extent>;

Extent ExtentOf(mlir::RankedTensorType type, int64_t dimension);
Extents ExtentsOf(mlir::RankedTensorType type);
// Sizes without bounds.
Extents ExtentsOf(Dims sizes);

// Returns the encoding attribute for these bounds; null if there are none.
mlir::Attribute BoundsOf(mlir::MLIRContext* context, llvm::ArrayRef<Extent> extents);
mlir::RankedTensorType MakeTensor(llvm::ArrayRef<Extent> extents, mlir::Type element);

// The extent of a concatenation of both.
Extent Sum(Extent a, Extent b);
// The extent of a value that is one of both, as after a branch.
Extent Either(Extent a, Extent b);

// Combines `types`, which all describe the same value, to the most specific sizes and bounds. Unranked types add
// nothing. The element type is that of the first.
llvm::LogicalResult Merge(const Site& site, mlir::TypeRange types, mlir::Type& merged);
// The same, with the given element type.
llvm::LogicalResult Merge(const Site& site, mlir::TypeRange types, mlir::Type element, mlir::Type& merged);
// Returns the type of a value that is of type `a` or `b`: the least specific sizes and bounds.
mlir::Type Branched(mlir::Type a, mlir::Type b);

// Returns the type with the same shape and encoding, and other elements.
mlir::Type WithElement(mlir::Type type, mlir::Type element);

// Returns the element types that a region returns. If it has no body yet (an op under construction), those of
// `otherwise`.
llvm::SmallVector<mlir::Type> ReturnedElements(mlir::Region& region, mlir::TypeRange otherwise);

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_INFER_H_
