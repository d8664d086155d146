// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Type inference and verifiers of convolutions and dots. The shape of the result follows from the operands, its element
// type does not.
#include "ir/stablehlo/infer_shape.h"
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
using PerTensor = mlir::quant::UniformQuantizedType;

namespace {

// Checks the quantization of dots and convolutions: either all elements are quantized, or only those of the right-hand
// side (hybrid).
LogicalResult VerifyQuantizedOperands(const Site& site, Type lhs, Type rhs, Type result) {
  auto left = dyn_cast<mlir::quant::QuantizedType>(lhs), right = dyn_cast<mlir::quant::QuantizedType>(rhs),
       out = dyn_cast<mlir::quant::QuantizedType>(result);
  auto reject = [&](llvm::StringRef what) {
    return site.emitOpError() << what << ", but got " << Show(mlir::TypeRange({lhs, rhs})) << " and " << result;
  };
  if (!right || !left != !out)
    return reject("expects a quantized rhs, and lhs and result to be quantized both or neither");
  if (!left) {
    if (lhs != right.getExpressedType() || result != right.getExpressedType())
      return reject("expects lhs and result of the type that rhs expresses");
    return success();
  }
  if (left.getStorageType() != right.getStorageType() || left.isSigned() != right.isSigned())
    return reject("expects lhs and rhs of the same storage type");
  if (left.getExpressedType() != right.getExpressedType() || left.getExpressedType() != out.getExpressedType())
    return reject("expects the same expressed type throughout");
  if (llvm::isa<PerTensor>(rhs) && !llvm::isa<PerTensor>(result))
    return reject("expects a per-tensor quantized result of a per-tensor quantized rhs");
  return success();
}

bool AnyQuantized(Type lhs, Type rhs, Type result) {
  return IsQuantized(lhs) || IsQuantized(rhs) || IsQuantized(result);
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

struct Side {
  llvm::StringRef name;
  int64_t first, second;  // batch and feature dimension, or input and output feature dimension
  Dims spatial;
};

LogicalResult VerifySide(const Site& site, const Side& side, int64_t rank) {
  llvm::SmallVector<int64_t> dims(side.spatial);
  dims.append({side.first, side.second});
  if (static_cast<int64_t>(dims.size()) != rank)
    return site.emitOpError() << "expects " << rank << " " << side.name << " dimension numbers, but got "
                              << dims.size();
  return failure(failed(VerifyInRange(site, (side.name + " dimension numbers").str(), dims, rank)) ||
                 failed(VerifyUnique(site, (side.name + " dimension numbers").str(), dims)));
}

bool Divides(int64_t divisor, int64_t size) { return IsDynamic(size) || size % divisor == 0; }

LogicalResult InferConvolution(const Site& site, mlir::Value lhs, mlir::Value rhs, ConvDimensionNumbersAttr n,
                               const WindowAttributes& attributes, bool known_padding, int64_t feature_groups,
                               int64_t batch_groups, std::optional<mlir::ArrayAttr> precision, Extents& components) {
  RankedTensorType left = TensorOf(lhs), right = TensorOf(rhs);
  int64_t rank = left.getRank();
  if (rank != right.getRank() || rank < 2)
    return site.emitOpError() << "expects operands of one rank of at least 2, but got " << left << " and " << right;
  if (failed(VerifySide(
          site, {"input", n.getInputBatchDimension(), n.getInputFeatureDimension(), n.getInputSpatialDimensions()},
          rank)) ||
      failed(VerifySide(site,
                        {"kernel", n.getKernelInputFeatureDimension(), n.getKernelOutputFeatureDimension(),
                         n.getKernelSpatialDimensions()},
                        rank)) ||
      failed(VerifySide(
          site, {"output", n.getOutputBatchDimension(), n.getOutputFeatureDimension(), n.getOutputSpatialDimensions()},
          rank)) ||
      failed(VerifyPrecisionConfig(site, precision)))
    return failure();
  if (feature_groups < 1 || batch_groups < 1 || (feature_groups > 1 && batch_groups > 1))
    return site.emitOpError() << "expects positive group counts of which at most one exceeds 1, but got "
                                 "feature_group_count = "
                              << feature_groups << " and batch_group_count = " << batch_groups;
  int64_t batch = left.getDimSize(n.getInputBatchDimension()), features = left.getDimSize(n.getInputFeatureDimension()),
          kernel_in = right.getDimSize(n.getKernelInputFeatureDimension()),
          kernel_out = right.getDimSize(n.getKernelOutputFeatureDimension());
  if (!Divides(batch_groups, batch))
    return site.emitOpError() << "expects the input batch size " << batch
                              << " to be a multiple of batch_group_count = " << batch_groups;
  if (!Divides(feature_groups, features))
    return site.emitOpError() << "expects the input feature size " << features
                              << " to be a multiple of feature_group_count = " << feature_groups;
  if (!IsDynamic(features) && !IsDynamic(kernel_in) && features / feature_groups != kernel_in)
    return site.emitOpError() << "expects the kernel's input features, " << kernel_in << ", to be the input's, "
                              << features << ", divided by feature_group_count = " << feature_groups;
  if (!Divides(batch_groups, kernel_out) || !Divides(feature_groups, kernel_out))
    return site.emitOpError() << "expects the kernel's output features, " << kernel_out
                              << ", to be a multiple of the group counts " << batch_groups << " and " << feature_groups;
  llvm::SmallVector<int64_t> window_sizes;
  for (int64_t dimension : n.getKernelSpatialDimensions()) window_sizes.push_back(right.getDimSize(dimension));
  Window window;
  if (failed(VerifyWindow(site, window_sizes, attributes, window))) return failure();

  components.assign(rank, Extent());
  components[n.getOutputBatchDimension()] =
      Map(ExtentOf(left, n.getInputBatchDimension()), [&](int64_t size) { return size / batch_groups; });
  components[n.getOutputFeatureDimension()] = ExtentOf(right, n.getKernelOutputFeatureDimension());
  for (auto [i, dimension] : llvm::enumerate(n.getOutputSpatialDimensions()))
    if (known_padding)
      components[dimension] = WindowPositions(window, i, ExtentOf(left, n.getInputSpatialDimensions()[i]));
  return success();
}

// Checks the element types of operands and result.
LogicalResult VerifyConvolutionElements(const Site& site, mlir::Value lhs, mlir::Value rhs, mlir::Value result,
                                        ConvDimensionNumbersAttr n) {
  Type left_element = ElementOf(lhs), right_element = ElementOf(rhs), element = ElementOf(result);
  if (!AnyQuantized(left_element, right_element, element)) {
    if (left_element == right_element) return success();
    return site.emitOpError() << "expects operands of the same element type, but got " << lhs.getType() << " and "
                              << rhs.getType();
  }
  if (failed(VerifyQuantizedOperands(site, left_element, right_element, element))) return failure();
  auto right_axis = dyn_cast<PerAxis>(right_element), result_axis = dyn_cast<PerAxis>(element);
  if (right_axis && right_axis.getQuantizedDimension() != n.getKernelOutputFeatureDimension())
    return site.emitOpError() << "expects rhs to be quantized along its output feature dimension "
                              << n.getKernelOutputFeatureDimension() << ", but got "
                              << right_axis.getQuantizedDimension();
  if (result_axis && result_axis.getQuantizedDimension() != n.getOutputFeatureDimension())
    return site.emitOpError() << "expects the result to be quantized along its feature dimension "
                              << n.getOutputFeatureDimension() << ", but got " << result_axis.getQuantizedDimension();
  return success();
}

// Checks the declared result against the shape that follows from the operands.
template <typename Op>
LogicalResult VerifyShape(Op op) {
  Extents extents;
  if (failed(InferShape(Site(op), typename Op::Adaptor(op), extents))) return failure();
  Type inferred = MakeTensor(extents, ElementOf(op.getResult()));
  return VerifyResultType(Site(op), inferred, op.getType());
}

template <typename Op>
LogicalResult VerifyConvolution(Op op) {
  return failure(
      failed(VerifyShape(op)) ||
      failed(VerifyConvolutionElements(op, op.getLhs(), op.getRhs(), op.getResult(), op.getDimensionNumbers())));
}

}  // namespace

LogicalResult InferShape(const Site& site, ConvolutionOp::Adaptor op, Extents& extents) {
  return InferConvolution(
      site, op.getLhs(), op.getRhs(), op.getDimensionNumbers(),
      {op.getWindowStrides(), op.getPaddingAttr(), op.getLhsDilation(), op.getRhsDilation(), op.getWindowReversal()},
      /*known_padding=*/true, op.getFeatureGroupCount(), op.getBatchGroupCount(), op.getPrecisionConfig(), extents);
}

LogicalResult InferShape(const Site& site, DynamicConvOp::Adaptor op, Extents& extents) {
  int64_t spatial = op.getDimensionNumbers().getInputSpatialDimensions().size();
  if (!CompatibleDims(ShapeOf(op.getPadding()), {spatial, 2}))
    return site.emitOpError() << "expects padding of shape [" << spatial << ", 2], but got "
                              << op.getPadding().getType();
  mlir::DenseIntElementsAttr padding;
  std::optional<llvm::SmallVector<int64_t>> constant = ConstantOf(op.getPadding());
  if (constant)
    padding = mlir::DenseIntElementsAttr::get(
        RankedTensorType::get({spatial, 2}, mlir::IntegerType::get(op.getPadding().getContext(), 64)),
        llvm::ArrayRef(*constant));
  // Older JAX wrote strides for two dimensions in convolutions over one dimension.
  std::optional<Dims> strides = op.getWindowStrides();
  if (strides) strides = strides->take_front(spatial);
  return InferConvolution(site, op.getLhs(), op.getRhs(), op.getDimensionNumbers(),
                          {strides, padding, op.getLhsDilation(), op.getRhsDilation(), op.getWindowReversal()},
                          constant.has_value(), op.getFeatureGroupCount(), op.getBatchGroupCount(),
                          op.getPrecisionConfig(), extents);
}

LogicalResult ConvolutionOp::verify() { return VerifyConvolution(*this); }

LogicalResult DynamicConvOp::verify() { return VerifyConvolution(*this); }

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

namespace {

llvm::SmallVector<int64_t> Join(Dims a, Dims b) {
  llvm::SmallVector<int64_t> joined(a);
  llvm::append_range(joined, b);
  return joined;
}

LogicalResult VerifyPairs(const Site& site, llvm::StringRef name, Dims lhs, Dims rhs, RankedTensorType left,
                          RankedTensorType right) {
  for (auto [i, j] : llvm::zip(lhs, rhs))
    if (!CompatibleDim(left.getDimSize(i), right.getDimSize(j)))
      return site.emitOpError() << "expects " << name << " dimensions of equal size, but dimension " << i
                                << " of lhs has " << left.getDimSize(i) << " and dimension " << j << " of rhs has "
                                << right.getDimSize(j);
  return success();
}

}  // namespace

LogicalResult InferShape(const Site& site, DotGeneralOp::Adaptor op, Extents& extents) {
  DotDimensionNumbersAttr n = op.getDotDimensionNumbers();
  RankedTensorType left = TensorOf(op.getLhs()), right = TensorOf(op.getRhs());
  Dims lhs_batch = n.getLhsBatchingDimensions(), rhs_batch = n.getRhsBatchingDimensions(),
       lhs_contract = n.getLhsContractingDimensions(), rhs_contract = n.getRhsContractingDimensions();
  llvm::SmallVector<int64_t> lhs_used = Join(lhs_batch, lhs_contract), rhs_used = Join(rhs_batch, rhs_contract);
  if (failed(VerifySize(site, "rhs_batching_dimensions", rhs_batch.size(), lhs_batch.size())) ||
      failed(VerifySize(site, "rhs_contracting_dimensions", rhs_contract.size(), lhs_contract.size())) ||
      failed(VerifyUnique(site, "lhs batching and contracting dimensions", lhs_used)) ||
      failed(VerifyUnique(site, "rhs batching and contracting dimensions", rhs_used)) ||
      failed(VerifyInRange(site, "lhs_batching_dimensions", lhs_batch, left.getRank())) ||
      failed(VerifyInRange(site, "lhs_contracting_dimensions", lhs_contract, left.getRank())) ||
      failed(VerifyInRange(site, "rhs_batching_dimensions", rhs_batch, right.getRank())) ||
      failed(VerifyInRange(site, "rhs_contracting_dimensions", rhs_contract, right.getRank())) ||
      failed(VerifyPairs(site, "batching", lhs_batch, rhs_batch, left, right)) ||
      failed(VerifyPairs(site, "contracting", lhs_contract, rhs_contract, left, right)) ||
      failed(VerifyPrecisionConfig(site, op.getPrecisionConfig())))
    return failure();
  for (int64_t dimension : lhs_batch) extents.push_back(ExtentOf(left, dimension));
  for (int64_t i = 0; i < left.getRank(); ++i)
    if (!llvm::is_contained(lhs_used, i)) extents.push_back(ExtentOf(left, i));
  for (int64_t i = 0; i < right.getRank(); ++i)
    if (!llvm::is_contained(rhs_used, i)) extents.push_back(ExtentOf(right, i));
  return success();
}

LogicalResult InferShape(const Site& site, DotOp::Adaptor op, Extents& extents) {
  RankedTensorType left = TensorOf(op.getLhs()), right = TensorOf(op.getRhs());
  if (left.getRank() < 1 || left.getRank() > 2 || right.getRank() < 1 || right.getRank() > 2)
    return site.emitOpError() << "expects operands of rank 1 or 2, but got " << left << " and " << right;
  if (!CompatibleDim(left.getShape().back(), right.getShape().front()))
    return site.emitOpError() << "expects contracting dimensions of equal size, but got " << left << " and " << right;
  if (failed(VerifyPrecisionConfig(site, op.getPrecisionConfig()))) return failure();
  if (left.getRank() == 2) extents.push_back(ExtentOf(left, 0));
  if (right.getRank() == 2) extents.push_back(ExtentOf(right, 1));
  return success();
}

LogicalResult DotGeneralOp::verify() {
  if (failed(VerifyShape(*this))) return failure();
  if (getAlgorithm() && getPrecisionConfig())
    for (auto precision : getPrecisionConfig()->getAsRange<PrecisionAttr>())
      if (precision.getValue() != Precision::DEFAULT)
        return emitOpError() << "expects DEFAULT precision when an algorithm is set, but got "
                             << stringifyPrecision(precision.getValue());
  Type left_element = ElementOf(getLhs()), right_element = ElementOf(getRhs()), element = ElementOf(getResult());
  if (!AnyQuantized(left_element, right_element, element)) return success();
  if (failed(VerifyQuantizedOperands(*this, left_element, right_element, element))) return failure();
  auto right_axis = dyn_cast<PerAxis>(right_element);
  auto right_tensor = dyn_cast<PerTensor>(right_element);
  if ((right_tensor && right_tensor.getZeroPoint() != 0) ||
      (right_axis && llvm::any_of(right_axis.getZeroPoints(), [](int64_t zero_point) { return zero_point != 0; })))
    return emitOpError() << "expects zero points of rhs to be 0, but got " << right_element;
  if (right_axis &&
      llvm::is_contained(getDotDimensionNumbers().getRhsContractingDimensions(), right_axis.getQuantizedDimension()))
    return emitOpError() << "expects rhs not to be quantized along a contracting dimension, but got "
                         << right_axis.getQuantizedDimension();
  return success();
}

LogicalResult DotOp::verify() {
  if (failed(VerifyShape(*this))) return failure();
  Type left_element = ElementOf(getLhs()), right_element = ElementOf(getRhs()), element = ElementOf(getResult());
  return AnyQuantized(left_element, right_element, element)
             ? VerifyQuantizedOperands(*this, left_element, right_element, element)
             : success();
}

}  // namespace opbyop::stablehlo
