// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Type inference and verifiers of the ops that move elements, except gather and scatter.
#include "ir/stablehlo/infer.h"
#include "ir/stablehlo/wide_size.h"
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

// Checks that a shape is static, except for at most one dimension, which must have a bound.
LogicalResult VerifyStaticOrBounded(const Site& site, RankedTensorType type) {
  int64_t dynamic = 0, unbounded = 0;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (!type.isDynamicDim(i)) continue;
    ++dynamic;
    if (IsDynamic(BoundOf(type, i))) ++unbounded;
  }
  if (unbounded == 0 && dynamic <= 1) return success();
  return site.emitOpError() << "result #0 must be statically shaped or have one bounded dimension, but got " << type;
}

// Checks the quantization of a result along `expected_axis`. If the axis has been `expanded` from one element, all
// parameters of the result must be those of that element.
LogicalResult VerifyAxes(const Site& site, PerAxis operand, PerAxis result, int64_t expected_axis, bool expanded) {
  if (result.getQuantizedDimension() != expected_axis)
    return site.emitOpError() << "expects the result to be quantized along dimension " << expected_axis << ", but got "
                              << result.getQuantizedDimension();
  if (!expanded) return VerifySameQuantization(site, operand, result);
  bool same = CompatibleElements(operand, result) &&
              llvm::all_of(result.getScales(), [&](double scale) { return scale == operand.getScales().front(); }) &&
              llvm::all_of(result.getZeroPoints(), [&](int64_t z) { return z == operand.getZeroPoints().front(); });
  if (same) return success();
  return site.emitOpError() << "expects all quantization parameters of the result to be the operand's, but got "
                            << operand << " and " << result;
}

LogicalResult VerifyBroadcastSizes(const Site& site, mlir::Value operand, Dims dimensions, mlir::Value result) {
  if (failed(VerifySize(site, "broadcast_dimensions", dimensions.size(), RankOf(operand))) ||
      failed(VerifyInRange(site, "broadcast_dimensions", dimensions, RankOf(result))) ||
      failed(VerifyUnique(site, "broadcast_dimensions", dimensions)))
    return failure();
  for (auto [i, dimension] : llvm::enumerate(dimensions)) {
    int64_t size = ShapeOf(operand)[i], target = ShapeOf(result)[dimension];
    if (size != 1 && !CompatibleDim(size, target))
      return site.emitOpError() << "expects operand dimension " << i << " of size " << size
                                << " to be 1 or the size of result dimension " << dimension << ", " << target;
  }
  Type from = ElementOf(operand), to = ElementOf(result);
  auto from_axis = dyn_cast<PerAxis>(from), to_axis = dyn_cast<PerAxis>(to);
  if (from_axis && to_axis) {
    int32_t axis = from_axis.getQuantizedDimension();
    if (axis < 0 || axis >= static_cast<int64_t>(dimensions.size())) return success();
    return VerifyAxes(site, from_axis, to_axis, dimensions[axis],
                      ShapeOf(operand)[axis] == 1 && ShapeOf(result)[dimensions[axis]] != 1);
  }
  if (!CompatibleElements(from, to))
    return site.emitOpError() << "expects operand and result of the same element type, but got " << from << " and "
                              << to;
  return VerifySameQuantization(site, from, to);
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

LogicalResult BroadcastOp::Infer(const Site& site, Adaptor op, Types& types) {
  for (int64_t size : op.getBroadcastSizes())
    if (size < 0)
      return site.emitOpError() << "expects non-negative broadcast_sizes, but got " << Show(op.getBroadcastSizes());
  Extents extents = ExtentsOf(op.getBroadcastSizes());
  llvm::append_range(extents, ExtentsOf(TensorOf(op.getOperand())));
  types.push_back(MakeTensor(extents, ElementOf(op.getOperand())));
  return success();
}

LogicalResult ConcatenateOp::Infer(const Site& site, Adaptor op, Types& types) {
  mlir::ValueRange inputs = op.getInputs();
  if (inputs.empty()) return site.emitOpError() << "expects at least one operand";
  RankedTensorType first = TensorOf(inputs.front());
  auto dimension = static_cast<int64_t>(op.getDimension());
  if (dimension < 0 || dimension >= first.getRank())
    return site.emitOpError() << "expects dimension to be in range [0, " << first.getRank() << "), but got "
                              << dimension;
  Extent joined = {0};
  llvm::SmallVector<Type> others;  // one element along `dimension`, so that the rest can be merged
  for (auto [index, input] : llvm::enumerate(inputs)) {
    RankedTensorType tensor = TensorOf(input);
    if (tensor.getRank() != first.getRank())
      return site.emitOpError() << "expects operands of equal rank, but got " << Show(inputs.getTypes());
    for (int64_t i = 0; i < tensor.getRank(); ++i)
      if (i != dimension && !CompatibleDim(first.getDimSize(i), tensor.getDimSize(i)))
        return site.emitOpError() << "expects operands that agree outside dimension " << dimension
                                  << ", but operands 0 and " << index << " have sizes " << first.getDimSize(i)
                                  << " and " << tensor.getDimSize(i) << " in dimension " << i;
    joined = Sum(joined, ExtentOf(tensor, dimension));
    Extents extents = ExtentsOf(tensor);
    extents[dimension] = {1};
    others.push_back(MakeTensor(extents, tensor.getElementType()));
  }
  Type merged;
  if (failed(Merge(site, others, merged))) return failure();
  Extents extents = ExtentsOf(llvm::cast<RankedTensorType>(merged));
  extents[dimension] = joined;
  types.push_back(MakeTensor(extents, first.getElementType()));
  return success();
}

namespace {

LogicalResult VerifyStartIndices(const Site& site, mlir::ValueRange indices, int64_t rank) {
  if (static_cast<int64_t>(indices.size()) != rank)
    return site.emitOpError() << "expects one start index per dimension, but got " << indices.size() << " for rank "
                              << rank;
  for (mlir::Value index : indices)
    if (ElementOf(index) != ElementOf(indices.front()))
      return site.emitOpError() << "expects start indices of one element type, but got " << Show(indices.getTypes());
  return success();
}

}  // namespace

LogicalResult DynamicSliceOp::Infer(const Site& site, Adaptor op, Types& types) {
  Dims sizes = op.getSliceSizes(), shape = ShapeOf(op.getOperand());
  if (failed(VerifyStartIndices(site, op.getStartIndices(), shape.size())) ||
      failed(VerifySize(site, "slice_sizes", sizes.size(), shape.size())))
    return failure();
  for (auto [i, size] : llvm::enumerate(sizes)) {
    int64_t limit = ExtentOf(TensorOf(op.getOperand()), i).Most();
    if (size < 0 || (!IsDynamic(limit) && size > limit))
      return site.emitOpError() << "expects slice size " << i << " to be in range [0, " << limit << "], but got "
                                << size;
  }
  types.push_back(RankedTensorType::get(sizes, ElementOf(op.getOperand())));
  return success();
}

LogicalResult DynamicUpdateSliceOp::Infer(const Site& site, Adaptor op, Types& types) {
  Type operand = op.getOperand().getType(), update = op.getUpdate().getType();
  Dims sizes = ShapeOf(op.getUpdate()), shape = ShapeOf(op.getOperand());
  if (sizes.size() != shape.size())
    return site.emitOpError() << "expects an update of the operand's rank, but got " << update << " and " << operand;
  if (!CompatibleElements(ElementOf(op.getUpdate()), ElementOf(op.getOperand())))
    return site.emitOpError() << "expects an update of the operand's element type, but got " << update << " and "
                              << operand;
  if (failed(VerifyStartIndices(site, op.getStartIndices(), shape.size()))) return failure();
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!IsDynamic(size) && !IsDynamic(shape[i]) && size > shape[i])
      return site.emitOpError() << "expects size " << i << " of the update to be in range [0, " << shape[i]
                                << "], but got " << size;
  types.push_back(operand);
  return success();
}

LogicalResult PadOp::Infer(const Site& site, Adaptor op, Types& types) {
  RankedTensorType operand = TensorOf(op.getOperand());
  size_t rank = operand.getRank();
  if (failed(VerifySize(site, "edge_padding_low", op.getEdgePaddingLow().size(), rank)) ||
      failed(VerifySize(site, "edge_padding_high", op.getEdgePaddingHigh().size(), rank)) ||
      failed(VerifySize(site, "interior_padding", op.getInteriorPadding().size(), rank)))
    return failure();
  Extents extents;
  for (size_t i = 0; i < rank; ++i) {
    int64_t low = op.getEdgePaddingLow()[i], high = op.getEdgePaddingHigh()[i], interior = op.getInteriorPadding()[i];
    if (interior < 0) return site.emitOpError() << "expects non-negative interior_padding, but got " << interior;
    extents.push_back(Map(ExtentOf(operand, i), [&](int64_t size) { return Padded(size, low, interior, high); }));
    if (int64_t padded = extents.back().Most(); !IsDynamic(padded) && padded < 0)
      return site.emitOpError() << "pads dimension " << i << " to the negative size " << padded;
  }
  types.push_back(MakeTensor(extents, operand.getElementType()));
  return success();
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

LogicalResult ReverseOp::Infer(const Site& site, Adaptor op, Types& types) {
  types.push_back(op.getOperand().getType());
  return failure(failed(VerifyInRange(site, "dimensions", op.getDimensions(), RankOf(op.getOperand()))) ||
                 failed(VerifyUnique(site, "dimensions", op.getDimensions())));
}

LogicalResult SliceOp::Infer(const Site& site, Adaptor op, Types& types) {
  RankedTensorType operand = TensorOf(op.getOperand());
  size_t rank = operand.getRank();
  if (failed(VerifySize(site, "start_indices", op.getStartIndices().size(), rank)) ||
      failed(VerifySize(site, "limit_indices", op.getLimitIndices().size(), rank)) ||
      failed(VerifySize(site, "strides", op.getStrides().size(), rank)))
    return failure();
  llvm::SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    int64_t start = op.getStartIndices()[i], limit = op.getLimitIndices()[i], stride = op.getStrides()[i];
    int64_t size = ExtentOf(operand, i).Most();
    if (start < 0 || start > limit || (!IsDynamic(size) && limit > size))
      return site.emitOpError() << "expects 0 <= start <= limit <= " << (IsDynamic(size) ? "?" : std::to_string(size))
                                << " in dimension " << i << ", but got start " << start << " and limit " << limit;
    if (stride <= 0)
      return site.emitOpError() << "expects positive strides, but got " << stride << " in dimension " << i;
    shape.push_back(limit == start ? 0 : (limit - start - 1) / stride + 1);
  }
  types.push_back(RankedTensorType::get(shape, operand.getElementType()));
  return success();
}

LogicalResult SortOp::Infer(const Site& site, Adaptor op, Types& types) {
  mlir::ValueRange inputs = op.getInputs();
  if (inputs.empty()) return site.emitOpError() << "expects at least one operand";
  int64_t rank = RankOf(inputs.front());
  auto dimension = static_cast<int64_t>(op.getDimension());
  if (dimension < -rank || dimension >= rank)
    return site.emitOpError() << "expects dimension to be in range [" << -rank << ", " << rank << "), but got "
                              << dimension;
  for (mlir::Value input : inputs)
    if (!CompatibleShapes(input.getType(), inputs.front().getType()))
      return site.emitOpError() << "expects operands of compatible shapes, but got " << Show(inputs.getTypes());
  llvm::append_range(types, inputs.getTypes());
  if (op.getComparator().empty()) return success();
  mlir::Block& block = op.getComparator().front();
  if (block.getNumArguments() != 2 * inputs.size())
    return site.emitOpError() << "expects a comparator of " << 2 * inputs.size() << " parameters, but it takes "
                              << block.getNumArguments();
  for (auto [i, input] : llvm::enumerate(inputs)) {
    Type expected = RankedTensorType::get({}, ElementOf(input));
    for (size_t index : {2 * i, 2 * i + 1})
      if (block.getArgument(index).getType() != expected)
        return site.emitOpError() << "expects parameter " << index << " of the comparator to be " << expected
                                  << ", but got " << block.getArgument(index).getType();
  }
  llvm::SmallVector<Type> returned = ReturnedTypes(op.getComparator());
  if (!IsPredicate(returned))
    return site.emitOpError() << "expects a comparator that returns 'tensor<i1>', but it returns " << Show(returned);
  return success();
}

LogicalResult TransposeOp::Infer(const Site& site, Adaptor op, Types& types) {
  RankedTensorType operand = TensorOf(op.getOperand());
  Dims permutation = op.getPermutation();
  if (failed(VerifySize(site, "permutation", permutation.size(), operand.getRank())) ||
      failed(VerifyInRange(site, "permutation", permutation, operand.getRank())) ||
      failed(VerifyUnique(site, "permutation", permutation)))
    return failure();
  Extents extents;
  for (int64_t dimension : permutation) extents.push_back(ExtentOf(operand, dimension));
  Type element = operand.getElementType();
  // The quantized dimension is permuted like any other.
  if (auto axis = dyn_cast<PerAxis>(element)) {
    auto place = llvm::find(permutation, axis.getQuantizedDimension()) - permutation.begin();
    element = PerAxis::get(axis.getFlags(), axis.getStorageType(), axis.getExpressedType(), axis.getScales(),
                           axis.getZeroPoints(), place, axis.getStorageTypeMin(), axis.getStorageTypeMax());
  }
  types.push_back(MakeTensor(extents, element));
  return success();
}

LogicalResult TransposeOp::verifyRegions() {
  RankedTensorType operand = TensorOf(getOperand());
  auto from_axis = dyn_cast<PerAxis>(operand.getElementType()), to_axis = dyn_cast<PerAxis>(ElementOf(getResult()));
  if (from_axis && to_axis) {
    int64_t from = from_axis.getQuantizedDimension(), to = getPermutation()[to_axis.getQuantizedDimension()];
    if (from != to)
      return emitOpError() << "expects the result to be quantized along the operand's quantized dimension " << from
                           << ", but got " << to;
  }
  return VerifySameQuantization(*this, operand, getType());
}

}  // namespace opbyop::stablehlo
