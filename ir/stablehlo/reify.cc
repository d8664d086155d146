// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds ops of the dialects shape, tensor and arith that compute result shapes at run time. The caller must have
// loaded these dialects.
#include "ir/stablehlo/infer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace opbyop::stablehlo {

using llvm::LogicalResult;
using mlir::Location;
using mlir::OpBuilder;
using mlir::success;
using mlir::Value;
using mlir::ValueRange;
using Values = llvm::SmallVector<Value>;
using Shapes = llvm::SmallVectorImpl<Value>;

namespace arith = mlir::arith;
namespace tensor = mlir::tensor;

namespace {

Value Number(OpBuilder& builder, Location loc, int64_t number) {
  return arith::ConstantIndexOp::create(builder, loc, number);
}

Value SizeOf(OpBuilder& builder, Location loc, Value value, int64_t dimension) {
  int64_t size = ShapeOf(value)[dimension];
  if (!IsDynamic(size)) return Number(builder, loc, size);
  return tensor::DimOp::create(builder, loc, value, dimension);
}

Values SizesOf(OpBuilder& builder, Location loc, Value value) {
  Values sizes;
  for (int64_t i = 0; i < RankOf(value); ++i) sizes.push_back(SizeOf(builder, loc, value, i));
  return sizes;
}

Value ToIndex(OpBuilder& builder, Location loc, Value value) {
  mlir::Type index = builder.getIndexType();
  if (mlir::getElementTypeOrSelf(value.getType()) == index) return value;
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return arith::IndexCastOp::create(builder, loc, type ? mlir::RankedTensorType::get(type.getShape(), index) : index,
                                    value);
}

// Returns element `i` of a vector of integers.
Value ElementAt(OpBuilder& builder, Location loc, Value vector, int64_t i) {
  Value element = tensor::ExtractOp::create(builder, loc, vector, ValueRange{Number(builder, loc, i)});
  return ToIndex(builder, loc, element);
}

LogicalResult Shape(OpBuilder& builder, Location loc, ValueRange sizes, Shapes& shapes) {
  auto type = mlir::RankedTensorType::get({static_cast<int64_t>(sizes.size())}, builder.getIndexType());
  shapes.push_back(tensor::FromElementsOp::create(builder, loc, type, sizes));
  return success();
}

// Returns the number of gaps between `size` elements.
Value Gaps(OpBuilder& builder, Location loc, Value size) {
  Value zero = Number(builder, loc, 0), one = Number(builder, loc, 1);
  Value few = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, size, one);
  Value less = arith::SubIOp::create(builder, loc, size, one);
  return arith::SelectOp::create(builder, loc, few, zero, less);
}

// The result has the sizes of the indices and of the slices, each at its place.
LogicalResult ReifyGather(OpBuilder& builder, Location loc, GatherDimensionNumbersAttr numbers, Value indices,
                          ValueRange slice_sizes, Shapes& shapes) {
  Values batch, window;
  for (int64_t i = 0; i < RankOf(indices); ++i)
    if (i != numbers.getIndexVectorDim()) batch.push_back(SizeOf(builder, loc, indices, i));
  for (auto [i, size] : llvm::enumerate(slice_sizes))
    if (!llvm::is_contained(numbers.getCollapsedSliceDims(), i) &&
        !llvm::is_contained(numbers.getOperandBatchingDims(), i))
      window.push_back(size);
  Values sizes;
  size_t next_batch = 0, next_window = 0;
  for (size_t i = 0, rank = batch.size() + window.size(); i < rank; ++i)
    sizes.push_back(llvm::is_contained(numbers.getOffsetDims(), i) ? window[next_window++] : batch[next_batch++]);
  return Shape(builder, loc, sizes, shapes);
}

}  // namespace

LogicalResult ReifyShapesOf(OpBuilder& builder, mlir::Operation* op, ValueRange operands, Shapes& shapes) {
  for (Value operand : operands.take_front(op->getNumResults()))
    shapes.push_back(mlir::shape::ShapeOfOp::create(builder, op->getLoc(), operand));
  return success();
}

LogicalResult SelectOp::reifyReturnTypeShapes(OpBuilder& builder, ValueRange operands, Shapes& shapes) {
  return ReifyShapesOf(builder, *this, operands.drop_front(), shapes);
}

LogicalResult ClampOp::reifyReturnTypeShapes(OpBuilder& builder, ValueRange operands, Shapes& shapes) {
  return ReifyShapesOf(builder, *this, operands.drop_front(), shapes);
}

LogicalResult BroadcastOp::reifyReturnTypeShapes(OpBuilder& builder, ValueRange operands, Shapes& shapes) {
  Values sizes;
  for (int64_t size : getBroadcastSizes()) sizes.push_back(Number(builder, getLoc(), size));
  llvm::append_range(sizes, SizesOf(builder, getLoc(), Adaptor(operands, *this).getOperand()));
  return Shape(builder, getLoc(), sizes, shapes);
}

LogicalResult ConcatenateOp::reifyReturnTypeShapes(OpBuilder& builder, ValueRange operands, Shapes& shapes) {
  auto dimension = static_cast<int64_t>(getDimension());
  Values sizes = SizesOf(builder, getLoc(), operands.front()), parts;
  for (Value operand : operands.drop_front()) parts.push_back(SizeOf(builder, getLoc(), operand, dimension));
  for (Value part : parts) sizes[dimension] = arith::AddIOp::create(builder, getLoc(), sizes[dimension], part);
  return Shape(builder, getLoc(), sizes, shapes);
}

LogicalResult GatherOp::reifyReturnTypeShapes(OpBuilder& builder, ValueRange operands, Shapes& shapes) {
  Values sizes;
  for (int64_t size : getSliceSizes()) sizes.push_back(Number(builder, getLoc(), size));
  return ReifyGather(builder, getLoc(), getDimensionNumbers(), Adaptor(operands, *this).getStartIndices(), sizes,
                     shapes);
}

LogicalResult DynamicGatherOp::reifyReturnTypeShapes(OpBuilder& builder, ValueRange operands, Shapes& shapes) {
  Adaptor op(operands, *this);
  Values sizes;
  for (int64_t i = 0; i < RankOf(op.getOperand()); ++i)
    sizes.push_back(ElementAt(builder, getLoc(), op.getSliceSizes(), i));
  return ReifyGather(builder, getLoc(), getDimensionNumbers(), op.getStartIndices(), sizes, shapes);
}

LogicalResult PadOp::reifyReturnTypeShapes(OpBuilder& builder, ValueRange operands, Shapes& shapes) {
  Value operand = Adaptor(operands, *this).getOperand();
  Values sizes;
  for (auto [i, known] : llvm::enumerate(ShapeOf(getResult()))) {
    if (!IsDynamic(known)) {
      sizes.push_back(Number(builder, getLoc(), known));
      continue;
    }
    Value size = SizeOf(builder, getLoc(), operand, i), padded = size;
    if (int64_t interior = getInteriorPadding()[i]; interior != 0)
      padded = arith::AddIOp::create(
          builder, getLoc(),
          arith::MulIOp::create(builder, getLoc(), Number(builder, getLoc(), interior), Gaps(builder, getLoc(), size)),
          padded);
    if (int64_t edges = getEdgePaddingLow()[i] + getEdgePaddingHigh()[i]; edges != 0)
      padded = arith::AddIOp::create(builder, getLoc(), padded, Number(builder, getLoc(), edges));
    sizes.push_back(padded);
  }
  return Shape(builder, getLoc(), sizes, shapes);
}

LogicalResult DynamicPadOp::reifyReturnTypeShapes(OpBuilder& builder, ValueRange operands, Shapes& shapes) {
  Adaptor op(operands, *this);
  Values sizes;
  for (int64_t i = 0; i < RankOf(op.getOperand()); ++i) {
    Value size = SizeOf(builder, getLoc(), op.getOperand(), i);
    Value low = ElementAt(builder, getLoc(), op.getEdgePaddingLow(), i),
          high = ElementAt(builder, getLoc(), op.getEdgePaddingHigh(), i),
          interior = ElementAt(builder, getLoc(), op.getInteriorPadding(), i);
    Value gaps = Gaps(builder, getLoc(), size);
    Value inner = arith::MulIOp::create(builder, getLoc(), interior, gaps);
    Value sum = arith::AddIOp::create(builder, getLoc(), inner, size);
    sum = arith::AddIOp::create(builder, getLoc(), sum, low);
    sizes.push_back(arith::AddIOp::create(builder, getLoc(), sum, high));
  }
  return Shape(builder, getLoc(), sizes, shapes);
}

LogicalResult RealDynamicSliceOp::reifyReturnTypeShapes(OpBuilder& builder, ValueRange operands, Shapes& shapes) {
  Adaptor op(operands, *this);
  Value one = Number(builder, getLoc(), 1);
  Values sizes;
  for (int64_t i = 0; i < RankOf(op.getOperand()); ++i) {
    Value start = ElementAt(builder, getLoc(), op.getStartIndices(), i),
          limit = ElementAt(builder, getLoc(), op.getLimitIndices(), i),
          stride = ElementAt(builder, getLoc(), op.getStrides(), i);
    Value extent = arith::SubIOp::create(builder, getLoc(), limit, start);
    Value sum = arith::AddIOp::create(builder, getLoc(), stride, extent);
    Value rounded = arith::SubIOp::create(builder, getLoc(), sum, one);
    sizes.push_back(arith::DivSIOp::create(builder, getLoc(), rounded, stride));
  }
  return Shape(builder, getLoc(), sizes, shapes);
}

LogicalResult TransposeOp::reifyReturnTypeShapes(OpBuilder& builder, ValueRange operands, Shapes& shapes) {
  Values sizes = SizesOf(builder, getLoc(), operands.front()), permuted;
  for (int64_t dimension : getPermutation()) permuted.push_back(sizes[dimension]);
  return Shape(builder, getLoc(), permuted, shapes);
}

LogicalResult ReduceOp::reifyReturnTypeShapes(OpBuilder& builder, ValueRange operands, Shapes& shapes) {
  Values sizes;
  for (int64_t i = 0; i < RankOf(operands.front()); ++i)
    if (!llvm::is_contained(getDimensions(), i)) sizes.push_back(SizeOf(builder, getLoc(), operands.front(), i));
  if (failed(Shape(builder, getLoc(), sizes, shapes))) return mlir::failure();
  shapes.resize(getNumResults(), shapes.back());
  return success();
}

LogicalResult DotGeneralOp::reifyReturnTypeShapes(OpBuilder& builder, ValueRange operands, Shapes& shapes) {
  DotDimensionNumbersAttr n = getDotDimensionNumbers();
  Adaptor op(operands, *this);
  Values sizes;
  for (int64_t i : n.getLhsBatchingDimensions()) sizes.push_back(SizeOf(builder, getLoc(), op.getLhs(), i));
  for (int64_t i = 0; i < RankOf(op.getLhs()); ++i)
    if (!llvm::is_contained(n.getLhsBatchingDimensions(), i) && !llvm::is_contained(n.getLhsContractingDimensions(), i))
      sizes.push_back(SizeOf(builder, getLoc(), op.getLhs(), i));
  for (int64_t i = 0; i < RankOf(op.getRhs()); ++i)
    if (!llvm::is_contained(n.getRhsBatchingDimensions(), i) && !llvm::is_contained(n.getRhsContractingDimensions(), i))
      sizes.push_back(SizeOf(builder, getLoc(), op.getRhs(), i));
  return Shape(builder, getLoc(), sizes, shapes);
}

// The following ops take their result shape as an operand.
LogicalResult DynamicIotaOp::reifyReturnTypeShapes(OpBuilder& builder, ValueRange operands, Shapes& shapes) {
  shapes.push_back(ToIndex(builder, getLoc(), Adaptor(operands, *this).getOutputShape()));
  return success();
}

LogicalResult DynamicReshapeOp::reifyReturnTypeShapes(OpBuilder& builder, ValueRange operands, Shapes& shapes) {
  shapes.push_back(ToIndex(builder, getLoc(), Adaptor(operands, *this).getOutputShape()));
  return success();
}

LogicalResult DynamicBroadcastInDimOp::reifyReturnTypeShapes(OpBuilder& builder, ValueRange operands, Shapes& shapes) {
  shapes.push_back(ToIndex(builder, getLoc(), Adaptor(operands, *this).getOutputDimensions()));
  return success();
}

LogicalResult RngOp::reifyReturnTypeShapes(OpBuilder& builder, ValueRange operands, Shapes& shapes) {
  shapes.push_back(ToIndex(builder, getLoc(), Adaptor(operands, *this).getShape()));
  return success();
}

}  // namespace opbyop::stablehlo
