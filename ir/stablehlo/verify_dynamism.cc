// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Type inference and verifiers of the ops whose result shape is a run-time value. If that value is a constant, the
// result type must agree with it.
#include "ir/stablehlo/infer.h"
#include "ir/stablehlo/wide_size.h"
#include "support/countable.h"

namespace opbyop::stablehlo {

using llvm::LogicalResult;
using mlir::failure;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;
using Constant = std::optional<llvm::SmallVector<int64_t>>;

namespace {

// Checks a shape operand against the result: one element per dimension, and equal sizes.
LogicalResult VerifyShapeOperand(const Site& site, mlir::Value shape, RankedTensorType result) {
  int64_t count = ShapeOf(shape)[0];
  if (!CompatibleDim(count, result.getRank()))
    return site.emitOpError() << "expects a result of as many dimensions as the shape operand has elements, " << count
                              << ", but got " << result;
  Constant sizes = ConstantOf(shape);
  if (!sizes) return success();
  for (auto [wanted, size] : llvm::zip(*sizes, result.getShape()))
    if (wanted < 0 || !CompatibleDim(wanted, size))
      return site.emitOpError() << "expects a result of shape " << Show(*sizes) << ", but got " << result;
  return success();
}

LogicalResult VerifyVector(const Site& site, llvm::StringRef name, mlir::Value vector, int64_t rank) {
  int64_t count = ShapeOf(vector)[0];
  if (CompatibleDim(count, rank)) return success();
  return site.emitOpError() << "expects " << rank << " elements in " << name << ", but got " << count;
}

LogicalResult VerifyDimension(const Site& site, int64_t dimension, int64_t rank) {
  if (dimension >= 0 && dimension < rank) return success();
  return site.emitOpError() << "expects dimension to be in range [0, " << rank << "), but got " << dimension;
}

}  // namespace

LogicalResult DynamicIotaOp::verify() {
  auto dimension = static_cast<int64_t>(getIotaDimension());
  if (failed(VerifyShapeOperand(*this, getOutputShape(), getType()))) return failure();
  return VerifyDimension(*this, dimension, getType().getRank());
}

LogicalResult DynamicReshapeOp::verify() {
  if (!TensorOf(getOutputShape()).hasStaticShape())
    return emitOpError() << "operand #1 must be statically shaped, but got " << getOutputShape().getType();
  RankedTensorType operand = TensorOf(getOperand());
  if (!CompatibleElements(operand.getElementType(), ElementOf(getResult())))
    return emitOpError() << "expects operand and result of the same element type, but got " << operand << " and "
                         << getType();
  if (operand.hasStaticShape() && getType().hasStaticShape() && operand.getNumElements() != getType().getNumElements())
    return emitOpError() << "expects as many result elements as operand elements, " << operand.getNumElements()
                         << ", but got " << getType().getNumElements();
  if (failed(VerifyShapeOperand(*this, getOutputShape(), getType()))) return failure();
  Constant shape = ConstantOf(getOutputShape());
  if (shape && operand.hasStaticShape()) {
    if (!IsCountable(*shape) || ShapedType::getNumElements(*shape) != operand.getNumElements())
      return emitOpError() << "expects a shape of " << operand.getNumElements() << " elements, but got "
                           << Show(*shape);
  }
  return VerifySameQuantization(*this, operand, getType());
}

LogicalResult DynamicPadOp::verify() {
  RankedTensorType operand = TensorOf(getOperand());
  int64_t rank = operand.getRank();
  if (failed(VerifyVector(*this, "edge_padding_low", getEdgePaddingLow(), rank)) ||
      failed(VerifyVector(*this, "edge_padding_high", getEdgePaddingHigh(), rank)) ||
      failed(VerifyVector(*this, "interior_padding", getInteriorPadding(), rank)))
    return failure();
  if (!CompatibleElements(operand.getElementType(), ElementOf(getPaddingValue())))
    return emitOpError() << "expects a padding value of the operand's element type, but got "
                         << getPaddingValue().getType() << " and " << operand;
  if (getType().getRank() != rank)
    return emitOpError() << "expects a result of the operand's rank, but got " << getType() << " and " << operand;
  Constant low = ConstantOf(getEdgePaddingLow()), high = ConstantOf(getEdgePaddingHigh()),
           interior = ConstantOf(getInteriorPadding());
  if (interior)
    for (int64_t amount : *interior)
      if (amount < 0) return emitOpError() << "expects non-negative interior_padding, but got " << amount;
  llvm::SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  if (low && high && interior)
    for (int64_t i = 0; i < rank; ++i)
      if (int64_t size = operand.getDimSize(i); !IsDynamic(size))
        shape[i] = Padded(size, (*low)[i], (*interior)[i], (*high)[i]);
  return VerifyResultType(*this, RankedTensorType::get(shape, operand.getElementType()), getType());
}

LogicalResult RealDynamicSliceOp::verify() {
  RankedTensorType operand = TensorOf(getOperand());
  int64_t rank = operand.getRank();
  if (failed(VerifyVector(*this, "start_indices", getStartIndices(), rank)) ||
      failed(VerifyVector(*this, "limit_indices", getLimitIndices(), rank)) ||
      failed(VerifyVector(*this, "strides", getStrides(), rank)))
    return failure();
  if (ElementOf(getStartIndices()) != ElementOf(getLimitIndices()) ||
      ElementOf(getStartIndices()) != ElementOf(getStrides()))
    return emitOpError() << "expects start_indices, limit_indices and strides of one type, but got "
                         << Show(mlir::TypeRange(getOperandTypes()).drop_front());
  if (getType().getRank() != rank || !CompatibleElements(operand.getElementType(), ElementOf(getResult())))
    return emitOpError() << "expects a result of the operand's rank and element type, but got " << getType() << " and "
                         << operand;
  return success();
}

LogicalResult GetDimensionSizeOp::Infer(const Site& site, Adaptor op, Types& types) {
  types.push_back(RankedTensorType::get({}, mlir::IntegerType::get(op.getOperand().getContext(), 32)));
  return VerifyDimension(site, op.getDimension(), RankOf(op.getOperand()));
}

LogicalResult SetDimensionSizeOp::Infer(const Site& site, Adaptor op, Types& types) {
  RankedTensorType operand = TensorOf(op.getOperand());
  auto dimension = static_cast<int64_t>(op.getDimension());
  if (failed(VerifyDimension(site, dimension, operand.getRank()))) return failure();
  Extents extents = ExtentsOf(operand);
  Extent& extent = extents[dimension];
  // The size is unknown from here on unless it is a constant. The previous size is then its bound.
  Constant size = ConstantOf(op.getSize());
  extent = size ? Extent{size->front()} : Extent{ShapedType::kDynamic, extent.Most()};
  types.push_back(MakeTensor(extents, operand.getElementType()));
  return success();
}

}  // namespace opbyop::stablehlo
