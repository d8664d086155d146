// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Infers the shapes of ops whose element types do not follow from their operands: contractions (InfersShape in
// base.td).
//
//   Extents extents;
//   if (failed(InferShape(Site(op), DotOp::Adaptor(op), extents))) return failure();
#ifndef OPBYOP_IR_STABLEHLO_INFER_SHAPE_H_
#define OPBYOP_IR_STABLEHLO_INFER_SHAPE_H_

#include "ir/stablehlo/infer.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::stablehlo {

// These functions also check all constraints that do not involve the result.
llvm::LogicalResult InferShape(const Site& site, ConvolutionOp::Adaptor op, Extents& extents);
llvm::LogicalResult InferShape(const Site& site, DynamicConvOp::Adaptor op, Extents& extents);
llvm::LogicalResult InferShape(const Site& site, DotGeneralOp::Adaptor op, Extents& extents);
llvm::LogicalResult InferShape(const Site& site, DotOp::Adaptor op, Extents& extents);

// Implements InferShapedTypeOpInterface. The element type is left open.
template <typename Op>
llvm::LogicalResult InferComponents(mlir::MLIRContext* context, std::optional<mlir::Location> location,
                                    typename Op::Adaptor op,
                                    llvm::SmallVectorImpl<mlir::ShapedTypeComponents>& components) {
  Extents extents;
  if (failed(InferShape(Site(location, Op::getOperationName()), op, extents))) return llvm::failure();
  llvm::SmallVector<int64_t> shape;
  for (const Extent& extent : extents) shape.push_back(extent.size);
  components.emplace_back(shape, /*elementType=*/nullptr, BoundsOf(context, extents));
  return llvm::success();
}

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_INFER_SHAPE_H_
