// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Result types that follow from operands: sizes with their bounds, and how those of several tensors come together.
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

// The encoding of those bounds; null if there are none.
mlir::Attribute BoundsOf(mlir::MLIRContext* context, llvm::ArrayRef<Extent> extents);
mlir::RankedTensorType MakeTensor(llvm::ArrayRef<Extent> extents, mlir::Type element);

// One after the other, as in a concatenation.
Extent Sum(Extent a, Extent b);
// Either of both, as after a branch.
Extent Either(Extent a, Extent b);

// What is known of one value that all `types` describe: the most specific sizes and bounds. Unranked types add
// nothing. Takes the element type of the first.
llvm::LogicalResult Merge(const Site& site, mlir::TypeRange types, mlir::Type& merged);
// The same with other elements.
llvm::LogicalResult Merge(const Site& site, mlir::TypeRange types, mlir::Type element, mlir::Type& merged);
// One of `a` and `b`: the least specific sizes and bounds.
mlir::Type Branched(mlir::Type a, mlir::Type b);

// The same shape and encoding, other elements.
mlir::Type WithElement(mlir::Type type, mlir::Type element);

// Element types that a region returns, or `otherwise` while it has no body yet (an op under construction).
llvm::SmallVector<mlir::Type> ReturnedElements(mlir::Region& region, mlir::TypeRange otherwise);

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_INFER_H_
