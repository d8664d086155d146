// Verifiers of the ops that move elements, gather and scatter apart.
#include "ir/stablehlo/verify.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace opbyop::stablehlo {

using llvm::dyn_cast;
using llvm::LogicalResult;
using mlir::failure;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;
using mlir::Type;
using PerAxis = mlir::quant::UniformQuantizedPerAxisType;

namespace {

// Shapes must be static but for one dimension that has a bound.
LogicalResult VerifyStaticOrBounded(mlir::Operation* op, RankedTensorType type) {
  int64_t dynamic = 0, unbounded = 0;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (!type.isDynamicDim(i)) continue;
    ++dynamic;
    if (IsDynamic(BoundOf(type, i))) ++unbounded;
  }
  if (unbounded == 0 && dynamic <= 1) return success();
  return op->emitOpError() << "result #0 must be statically shaped or have one bounded dimension, but got " << type;
}

// Quantization along an axis: axis `from` of the operand is `to` of the result.
// A broadcast axis of one element gives all of the result its parameters.
LogicalResult VerifyAxes(mlir::Operation* op, PerAxis operand, PerAxis result, int64_t expected_axis, bool expanded) {
  if (result.getQuantizedDimension() != expected_axis)
    return op->emitOpError() << "expects the result to be quantized along dimension " << expected_axis << ", but got "
                             << result.getQuantizedDimension();
  if (!expanded) return VerifySameQuantization(op, operand, result);
  bool same = CompatibleElements(operand, result) &&
              llvm::all_of(result.getScales(), [&](double scale) { return scale == operand.getScales().front(); }) &&
              llvm::all_of(result.getZeroPoints(), [&](int64_t z) { return z == operand.getZeroPoints().front(); });
  if (same) return success();
  return op->emitOpError() << "expects all quantization parameters of the result to be the operand's, but got "
                           << operand << " and " << result;
}

LogicalResult VerifyBroadcastSizes(mlir::Operation* op, mlir::Value operand, Dims dimensions, mlir::Value result) {
  if (failed(VerifySize(op, "broadcast_dimensions", dimensions.size(), RankOf(operand))) ||
      failed(VerifyInRange(op, "broadcast_dimensions", dimensions, RankOf(result))) ||
      failed(VerifyUnique(op, "broadcast_dimensions", dimensions)))
    return failure();
  for (auto [i, dimension] : llvm::enumerate(dimensions)) {
    int64_t size = ShapeOf(operand)[i], target = ShapeOf(result)[dimension];
    if (size != 1 && !CompatibleDim(size, target))
      return op->emitOpError() << "expects operand dimension " << i << " of size " << size
                               << " to be 1 or the size of result dimension " << dimension << ", " << target;
  }
  Type from = ElementOf(operand), to = ElementOf(result);
  auto from_axis = dyn_cast<PerAxis>(from), to_axis = dyn_cast<PerAxis>(to);
  if (from_axis && to_axis) {
    int32_t axis = from_axis.getQuantizedDimension();
    if (axis < 0 || axis >= static_cast<int64_t>(dimensions.size())) return success();
    return VerifyAxes(op, from_axis, to_axis, dimensions[axis],
                      ShapeOf(operand)[axis] == 1 && ShapeOf(result)[dimensions[axis]] != 1);
  }
  if (!CompatibleElements(from, to))
    return op->emitOpError() << "expects operand and result of the same element type, but got " << from << " and "
                             << to;
  return VerifySameQuantization(op, from, to);
}

}  // namespace

LogicalResult BroadcastInDimOp::verify() {
  if (failed(VerifyStaticOrBounded(*this, getType()))) return failure();
  return VerifyBroadcastSizes(*this, getOperand(), getBroadcastDimensions(), getResult());
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  if (!TensorOf(getOutputDimensions()).hasStaticShape())
    return emitOpError() << "operand #1 must be statically shaped, but got " << getOutputDimensions().getType();
  if (failed(VerifyBroadcastSizes(*this, getOperand(), getBroadcastDimensions(), getResult()))) return failure();
  if (!CompatibleDim(ShapeOf(getOutputDimensions())[0], RankOf(getResult())))
    return emitOpError() << "expects one output dimension per result dimension, but got "
                         << ShapeOf(getOutputDimensions())[0] << " for " << getType();
  llvm::SmallVector<int64_t> hints;
  if (getKnownExpandingDimensions()) llvm::append_range(hints, *getKnownExpandingDimensions());
  if (getKnownNonexpandingDimensions()) llvm::append_range(hints, *getKnownNonexpandingDimensions());
  if (failed(VerifyUnique(*this, "known expanding and non-expanding dimensions", hints)) ||
      failed(VerifyInRange(*this, "known expanding and non-expanding dimensions", hints, RankOf(getOperand()))))
    return failure();
  std::optional<llvm::SmallVector<int64_t>> shape = ConstantOf(getOutputDimensions());
  if (!shape) return success();
  for (auto [wanted, size] : llvm::zip(*shape, ShapeOf(getResult())))
    if (wanted < 0 || !CompatibleDim(wanted, size))
      return emitOpError() << "expects a result of shape " << Show(*shape) << ", but got " << getType();
  for (auto [size, dimension] : llvm::zip(ShapeOf(getOperand()), getBroadcastDimensions()))
    if (size != 1 && !CompatibleDim(size, (*shape)[dimension]))
      return emitOpError() << "cannot broadcast " << getOperand().getType() << " to shape " << Show(*shape);
  return success();
}

LogicalResult BroadcastOp::verify() {
  for (int64_t size : getBroadcastSizes())
    if (size < 0) return emitOpError() << "expects non-negative broadcast_sizes, but got " << Show(getBroadcastSizes());
  llvm::SmallVector<int64_t> shape(getBroadcastSizes());
  llvm::append_range(shape, ShapeOf(getOperand()));
  return VerifyResultType(*this, RankedTensorType::get(shape, ElementOf(getOperand())), getType());
}

LogicalResult ConcatenateOp::verify() {
  if (getInputs().empty()) return emitOpError() << "expects at least one operand";
  RankedTensorType first = TensorOf(getInputs().front());
  auto dimension = static_cast<int64_t>(getDimension());
  if (dimension < 0 || dimension >= first.getRank())
    return emitOpError() << "expects dimension to be in range [0, " << first.getRank() << "), but got " << dimension;
  llvm::SmallVector<int64_t> shape(first.getShape());
  shape[dimension] = 0;
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    Dims sizes = ShapeOf(input);
    if (sizes.size() != shape.size())
      return emitOpError() << "expects operands of equal rank, but got " << Show(getOperandTypes());
    for (auto [i, size] : llvm::enumerate(sizes)) {
      if (static_cast<int64_t>(i) == dimension) {
        shape[i] = IsDynamic(shape[i]) || IsDynamic(size) ? ShapedType::kDynamic : shape[i] + size;
      } else if (!CompatibleDim(shape[i], size)) {
        return emitOpError() << "expects operands that agree outside dimension " << dimension << ", but operands 0 and "
                             << index << " have sizes " << shape[i] << " and " << size << " in dimension " << i;
      } else if (IsDynamic(shape[i])) {
        shape[i] = size;
      }
    }
  }
  return VerifyResultType(*this, RankedTensorType::get(shape, first.getElementType()), getType());
}

namespace {

LogicalResult VerifyStartIndices(mlir::Operation* op, mlir::OperandRange indices, int64_t rank) {
  if (static_cast<int64_t>(indices.size()) != rank)
    return op->emitOpError() << "expects one start index per dimension, but got " << indices.size() << " for rank "
                             << rank;
  for (mlir::Value index : indices)
    if (ElementOf(index) != ElementOf(indices.front()))
      return op->emitOpError() << "expects start indices of one element type, but got " << Show(indices.getTypes());
  return success();
}

}  // namespace

LogicalResult DynamicSliceOp::verify() {
  Dims sizes = getSliceSizes(), shape = ShapeOf(getOperand());
  if (failed(VerifyStartIndices(*this, getStartIndices(), RankOf(getOperand()))) ||
      failed(VerifySize(*this, "slice_sizes", sizes.size(), shape.size())))
    return failure();
  for (auto [i, size] : llvm::enumerate(sizes))
    if (size < 0 || (!IsDynamic(shape[i]) && size > shape[i]))
      return emitOpError() << "expects slice size " << i << " to be in range [0, " << shape[i] << "], but got " << size;
  return VerifyResultType(*this, RankedTensorType::get(sizes, ElementOf(getOperand())), getType());
}

LogicalResult DynamicUpdateSliceOp::verify() {
  Dims update = ShapeOf(getUpdate()), shape = ShapeOf(getOperand());
  if (update.size() != shape.size())
    return emitOpError() << "expects an update of the operand's rank, but got " << getUpdate().getType() << " and "
                         << getOperand().getType();
  if (!CompatibleElements(ElementOf(getUpdate()), ElementOf(getOperand())))
    return emitOpError() << "expects an update of the operand's element type, but got " << getUpdate().getType()
                         << " and " << getOperand().getType();
  if (failed(VerifyStartIndices(*this, getStartIndices(), RankOf(getOperand())))) return failure();
  for (auto [i, size] : llvm::enumerate(update))
    if (!IsDynamic(size) && !IsDynamic(shape[i]) && size > shape[i])
      return emitOpError() << "expects size " << i << " of the update to be in range [0, " << shape[i] << "], but got "
                           << size;
  return VerifyResultType(*this, getOperand().getType(), getType());
}

LogicalResult PadOp::verify() {
  RankedTensorType operand = TensorOf(getOperand());
  size_t rank = operand.getRank();
  if (failed(VerifySize(*this, "edge_padding_low", getEdgePaddingLow().size(), rank)) ||
      failed(VerifySize(*this, "edge_padding_high", getEdgePaddingHigh().size(), rank)) ||
      failed(VerifySize(*this, "interior_padding", getInteriorPadding().size(), rank)))
    return failure();
  llvm::SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    int64_t low = getEdgePaddingLow()[i], high = getEdgePaddingHigh()[i], interior = getInteriorPadding()[i];
    if (interior < 0) return emitOpError() << "expects non-negative interior_padding, but got " << interior;
    auto padded = [&](int64_t size) { return low + size + (size > 0 ? (size - 1) * interior : 0) + high; };
    int64_t size = operand.getDimSize(i), bound = BoundOf(operand, i);
    int64_t known = IsDynamic(size) ? bound : size;
    if (!IsDynamic(known) && padded(known) < 0)
      return emitOpError() << "pads dimension " << i << " to the negative size " << padded(known);
    shape.push_back(IsDynamic(size) ? size : padded(size));
  }
  return VerifyResultType(*this, RankedTensorType::get(shape, operand.getElementType()), getType());
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = TensorOf(getOperand()), to = getType();
  if (failed(VerifyStaticOrBounded(*this, to))) return failure();
  if (from.hasStaticShape() && to.hasStaticShape() && from.getNumElements() != to.getNumElements())
    return emitOpError() << "expects as many result elements as operand elements, " << from.getNumElements()
                         << ", but got " << to.getNumElements();
  if (!CompatibleElements(from.getElementType(), to.getElementType()))
    return emitOpError() << "expects operand and result of the same element type, but got " << from << " and " << to;
  if (failed(VerifySameQuantization(*this, from, to))) return failure();
  auto from_axis = dyn_cast<PerAxis>(from.getElementType()), to_axis = dyn_cast<PerAxis>(to.getElementType());
  if (!from_axis || !to_axis || !from.hasStaticShape() || !to.hasStaticShape()) return success();
  int64_t i = from_axis.getQuantizedDimension(), j = to_axis.getQuantizedDimension();
  if (i >= from.getRank() || j >= to.getRank() || i < 0 || j < 0) return success();
  auto before = [](Dims shape, int64_t axis) { return ShapedType::getNumElements(shape.take_front(axis)); };
  if (from.getDimSize(i) != to.getDimSize(j) || before(from.getShape(), i) != before(to.getShape(), j))
    return emitOpError() << "moves the quantized dimension of " << from << " to another place in " << to;
  return success();
}

LogicalResult ReverseOp::verify() {
  return failure(failed(VerifyInRange(*this, "dimensions", getDimensions(), RankOf(getOperand()))) ||
                 failed(VerifyUnique(*this, "dimensions", getDimensions())));
}

LogicalResult SliceOp::verify() {
  RankedTensorType operand = TensorOf(getOperand());
  size_t rank = operand.getRank();
  if (failed(VerifySize(*this, "start_indices", getStartIndices().size(), rank)) ||
      failed(VerifySize(*this, "limit_indices", getLimitIndices().size(), rank)) ||
      failed(VerifySize(*this, "strides", getStrides().size(), rank)))
    return failure();
  llvm::SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    int64_t start = getStartIndices()[i], limit = getLimitIndices()[i], stride = getStrides()[i];
    int64_t size = operand.isDynamicDim(i) ? BoundOf(operand, i) : operand.getDimSize(i);
    if (start < 0 || start > limit || (!IsDynamic(size) && limit > size))
      return emitOpError() << "expects 0 <= start <= limit <= " << (IsDynamic(size) ? "?" : std::to_string(size))
                           << " in dimension " << i << ", but got start " << start << " and limit " << limit;
    if (stride <= 0) return emitOpError() << "expects positive strides, but got " << stride << " in dimension " << i;
    shape.push_back((limit - start + stride - 1) / stride);
  }
  return VerifyResultType(*this, RankedTensorType::get(shape, operand.getElementType()), getType());
}

LogicalResult SortOp::verify() {
  if (getInputs().empty()) return emitOpError() << "expects at least one operand";
  int64_t rank = RankOf(getInputs().front());
  auto dimension = static_cast<int64_t>(getDimension());
  if (dimension < -rank || dimension >= std::max<int64_t>(rank, 0))
    return emitOpError() << "expects dimension to be in range [" << -rank << ", " << rank << "), but got " << dimension;
  for (mlir::Value input : getInputs())
    if (!CompatibleShapes(input.getType(), getInputs().front().getType()))
      return emitOpError() << "expects operands of compatible shapes, but got " << Show(getOperandTypes());
  if (failed(VerifyResultTypes(*this, getOperandTypes(), getResultTypes()))) return failure();
  mlir::Block& block = getComparator().front();
  if (block.getNumArguments() != 2 * getInputs().size())
    return emitOpError() << "expects a comparator of " << 2 * getInputs().size() << " parameters, but it takes "
                         << block.getNumArguments();
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    Type expected = RankedTensorType::get({}, ElementOf(input));
    for (size_t index : {2 * i, 2 * i + 1})
      if (block.getArgument(index).getType() != expected)
        return emitOpError() << "expects parameter " << index << " of the comparator to be " << expected << ", but got "
                             << block.getArgument(index).getType();
  }
  llvm::SmallVector<Type> returned = ReturnedTypes(getComparator());
  auto predicate = returned.size() == 1 ? dyn_cast<RankedTensorType>(returned.front()) : RankedTensorType();
  if (!predicate || predicate.getRank() != 0 || !IsBoolean(predicate.getElementType()))
    return emitOpError() << "expects a comparator that returns 'tensor<i1>', but it returns " << Show(returned);
  return success();
}

LogicalResult TransposeOp::verify() {
  RankedTensorType operand = TensorOf(getOperand());
  Dims permutation = getPermutation();
  if (failed(VerifySize(*this, "permutation", permutation.size(), operand.getRank())) ||
      failed(VerifyInRange(*this, "permutation", permutation, operand.getRank())) ||
      failed(VerifyUnique(*this, "permutation", permutation)))
    return failure();
  llvm::SmallVector<int64_t> shape, bounds;
  for (int64_t dimension : permutation) {
    shape.push_back(operand.getDimSize(dimension));
    bounds.push_back(BoundOf(operand, dimension));
  }
  auto from_axis = dyn_cast<PerAxis>(operand.getElementType()), to_axis = dyn_cast<PerAxis>(ElementOf(getResult()));
  if (from_axis && to_axis) {
    int32_t axis = to_axis.getQuantizedDimension();
    if (axis >= 0 && axis < static_cast<int64_t>(permutation.size()) &&
        permutation[axis] != from_axis.getQuantizedDimension())
      return emitOpError() << "expects the result to be quantized along the operand's quantized dimension "
                           << from_axis.getQuantizedDimension() << ", but got " << permutation[axis];
  }
  if (failed(VerifySameQuantization(*this, operand, getType()))) return failure();
  bool bounded = llvm::any_of(bounds, [](int64_t bound) { return !IsDynamic(bound); });
  mlir::Attribute encoding = bounded ? TypeExtensionsAttr::get(getContext(), bounds) : mlir::Attribute();
  return VerifyResultType(*this, RankedTensorType::get(shape, operand.getElementType(), encoding), getType());
}

}  // namespace opbyop::stablehlo
