// Verifiers of convolutions and dots.
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
using PerTensor = mlir::quant::UniformQuantizedType;

namespace {

// What dots and convolutions demand of quantized elements alike: all quantized,
// or only the right-hand side (hybrid).
LogicalResult VerifyQuantizedOperands(mlir::Operation* op, Type lhs, Type rhs, Type result) {
  auto left = dyn_cast<mlir::quant::QuantizedType>(lhs), right = dyn_cast<mlir::quant::QuantizedType>(rhs),
       out = dyn_cast<mlir::quant::QuantizedType>(result);
  auto reject = [&](llvm::StringRef what) {
    return op->emitOpError() << what << ", but got " << Show(mlir::TypeRange({lhs, rhs})) << " and " << result;
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
  int64_t first, second;  // batch and feature, or input and output feature
  Dims spatial;
};

LogicalResult VerifySide(mlir::Operation* op, const Side& side, int64_t rank) {
  llvm::SmallVector<int64_t> dims(side.spatial);
  dims.append({side.first, side.second});
  if (static_cast<int64_t>(dims.size()) != rank)
    return op->emitOpError() << "expects " << rank << " " << side.name << " dimension numbers, but got " << dims.size();
  return failure(failed(VerifyInRange(op, (side.name + " dimension numbers").str(), dims, rank)) ||
                 failed(VerifyUnique(op, (side.name + " dimension numbers").str(), dims)));
}

bool Divides(int64_t divisor, int64_t size) { return IsDynamic(size) || size % divisor == 0; }

LogicalResult VerifyConvolution(mlir::Operation* op, mlir::Value lhs, mlir::Value rhs, mlir::Value result,
                                ConvDimensionNumbersAttr n, const WindowAttributes& attributes, bool known_padding,
                                int64_t feature_groups, int64_t batch_groups,
                                std::optional<mlir::ArrayAttr> precision) {
  RankedTensorType left = TensorOf(lhs), right = TensorOf(rhs);
  int64_t rank = left.getRank();
  if (rank != right.getRank() || rank < 2)
    return op->emitOpError() << "expects operands of one rank of at least 2, but got " << left << " and " << right;
  if (failed(VerifySide(
          op, {"input", n.getInputBatchDimension(), n.getInputFeatureDimension(), n.getInputSpatialDimensions()},
          rank)) ||
      failed(VerifySide(op,
                        {"kernel", n.getKernelInputFeatureDimension(), n.getKernelOutputFeatureDimension(),
                         n.getKernelSpatialDimensions()},
                        rank)) ||
      failed(VerifySide(
          op, {"output", n.getOutputBatchDimension(), n.getOutputFeatureDimension(), n.getOutputSpatialDimensions()},
          rank)) ||
      failed(VerifyPrecisionConfig(op, precision)))
    return failure();
  if (feature_groups < 1 || batch_groups < 1 || (feature_groups > 1 && batch_groups > 1))
    return op->emitOpError() << "expects positive group counts of which at most one exceeds 1, but got "
                                "feature_group_count = "
                             << feature_groups << " and batch_group_count = " << batch_groups;
  int64_t batch = left.getDimSize(n.getInputBatchDimension()), features = left.getDimSize(n.getInputFeatureDimension()),
          kernel_in = right.getDimSize(n.getKernelInputFeatureDimension()),
          kernel_out = right.getDimSize(n.getKernelOutputFeatureDimension());
  if (!Divides(batch_groups, batch))
    return op->emitOpError() << "expects the input batch size " << batch
                             << " to be a multiple of batch_group_count = " << batch_groups;
  if (!Divides(feature_groups, features))
    return op->emitOpError() << "expects the input feature size " << features
                             << " to be a multiple of feature_group_count = " << feature_groups;
  if (!IsDynamic(features) && !IsDynamic(kernel_in) && features / feature_groups != kernel_in)
    return op->emitOpError() << "expects the kernel's input features, " << kernel_in << ", to be the input's, "
                             << features << ", divided by feature_group_count = " << feature_groups;
  if (!Divides(batch_groups, kernel_out) || !Divides(feature_groups, kernel_out))
    return op->emitOpError() << "expects the kernel's output features, " << kernel_out
                             << ", to be a multiple of the group counts " << batch_groups << " and " << feature_groups;
  llvm::SmallVector<int64_t> window_sizes;
  for (int64_t dimension : n.getKernelSpatialDimensions()) window_sizes.push_back(right.getDimSize(dimension));
  Window window;
  if (failed(VerifyWindow(op, window_sizes, attributes, window))) return failure();

  Type left_element = left.getElementType(), right_element = right.getElementType(), element = ElementOf(result);
  if (AnyQuantized(left_element, right_element, element)) {
    if (failed(VerifyQuantizedOperands(op, left_element, right_element, element))) return failure();
    auto right_axis = dyn_cast<PerAxis>(right_element), result_axis = dyn_cast<PerAxis>(element);
    if (right_axis && right_axis.getQuantizedDimension() != n.getKernelOutputFeatureDimension())
      return op->emitOpError() << "expects rhs to be quantized along its output feature dimension "
                               << n.getKernelOutputFeatureDimension() << ", but got "
                               << right_axis.getQuantizedDimension();
    if (result_axis && result_axis.getQuantizedDimension() != n.getOutputFeatureDimension())
      return op->emitOpError() << "expects the result to be quantized along its feature dimension "
                               << n.getOutputFeatureDimension() << ", but got " << result_axis.getQuantizedDimension();
  } else if (left_element != right_element) {
    return op->emitOpError() << "expects operands of the same element type, but got " << left << " and " << right;
  }

  llvm::SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  shape[n.getOutputBatchDimension()] = IsDynamic(batch) ? batch : batch / batch_groups;
  shape[n.getOutputFeatureDimension()] = kernel_out;
  for (auto [i, dimension] : llvm::enumerate(n.getOutputSpatialDimensions()))
    if (known_padding) shape[dimension] = WindowPositions(window, i, left.getDimSize(n.getInputSpatialDimensions()[i]));
  return VerifyResultShape(op, shape, result);
}

}  // namespace

LogicalResult ConvolutionOp::verify() {
  return VerifyConvolution(
      *this, getLhs(), getRhs(), getResult(), getDimensionNumbers(),
      {getWindowStrides(), getPaddingAttr(), getLhsDilation(), getRhsDilation(), getWindowReversal()},
      /*known_padding=*/true, getFeatureGroupCount(), getBatchGroupCount(), getPrecisionConfig());
}

LogicalResult DynamicConvOp::verify() {
  int64_t spatial = getDimensionNumbers().getInputSpatialDimensions().size();
  if (!CompatibleDims(ShapeOf(getPadding()), {spatial, 2}))
    return emitOpError() << "expects padding of shape [" << spatial << ", 2], but got " << getPadding().getType();
  mlir::DenseIntElementsAttr padding;
  std::optional<llvm::SmallVector<int64_t>> constant = ConstantOf(getPadding());
  if (constant)
    padding = mlir::DenseIntElementsAttr::get(
        RankedTensorType::get({spatial, 2}, mlir::IntegerType::get(getContext(), 64)), llvm::ArrayRef(*constant));
  // JAX once wrote the strides of two dimensions for a convolution over one.
  std::optional<Dims> strides = getWindowStrides();
  if (strides) strides = strides->take_front(spatial);
  return VerifyConvolution(*this, getLhs(), getRhs(), getResult(), getDimensionNumbers(),
                           {strides, padding, getLhsDilation(), getRhsDilation(), getWindowReversal()},
                           constant.has_value(), getFeatureGroupCount(), getBatchGroupCount(), getPrecisionConfig());
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

namespace {

llvm::SmallVector<int64_t> Join(Dims a, Dims b) {
  llvm::SmallVector<int64_t> joined(a);
  llvm::append_range(joined, b);
  return joined;
}

LogicalResult VerifyPairs(mlir::Operation* op, llvm::StringRef name, Dims lhs, Dims rhs, RankedTensorType left,
                          RankedTensorType right) {
  for (auto [i, j] : llvm::zip(lhs, rhs))
    if (!CompatibleDim(left.getDimSize(i), right.getDimSize(j)))
      return op->emitOpError() << "expects " << name << " dimensions of equal size, but dimension " << i
                               << " of lhs has " << left.getDimSize(i) << " and dimension " << j << " of rhs has "
                               << right.getDimSize(j);
  return success();
}

}  // namespace

LogicalResult DotGeneralOp::verify() {
  DotDimensionNumbersAttr n = getDotDimensionNumbers();
  RankedTensorType left = TensorOf(getLhs()), right = TensorOf(getRhs());
  Dims lhs_batch = n.getLhsBatchingDimensions(), rhs_batch = n.getRhsBatchingDimensions(),
       lhs_contract = n.getLhsContractingDimensions(), rhs_contract = n.getRhsContractingDimensions();
  llvm::SmallVector<int64_t> lhs_used = Join(lhs_batch, lhs_contract), rhs_used = Join(rhs_batch, rhs_contract);
  if (failed(VerifySize(*this, "rhs_batching_dimensions", rhs_batch.size(), lhs_batch.size())) ||
      failed(VerifySize(*this, "rhs_contracting_dimensions", rhs_contract.size(), lhs_contract.size())) ||
      failed(VerifyUnique(*this, "lhs batching and contracting dimensions", lhs_used)) ||
      failed(VerifyUnique(*this, "rhs batching and contracting dimensions", rhs_used)) ||
      failed(VerifyInRange(*this, "lhs_batching_dimensions", lhs_batch, left.getRank())) ||
      failed(VerifyInRange(*this, "lhs_contracting_dimensions", lhs_contract, left.getRank())) ||
      failed(VerifyInRange(*this, "rhs_batching_dimensions", rhs_batch, right.getRank())) ||
      failed(VerifyInRange(*this, "rhs_contracting_dimensions", rhs_contract, right.getRank())) ||
      failed(VerifyPairs(*this, "batching", lhs_batch, rhs_batch, left, right)) ||
      failed(VerifyPairs(*this, "contracting", lhs_contract, rhs_contract, left, right)) ||
      failed(VerifyPrecisionConfig(*this, getPrecisionConfig())))
    return failure();
  if (getAlgorithm() && getPrecisionConfig())
    for (auto precision : getPrecisionConfig()->getAsRange<PrecisionAttr>())
      if (precision.getValue() != Precision::DEFAULT)
        return emitOpError() << "expects DEFAULT precision when an algorithm is set, but got "
                             << stringifyPrecision(precision.getValue());

  Type left_element = left.getElementType(), right_element = right.getElementType(), element = ElementOf(getResult());
  if (AnyQuantized(left_element, right_element, element)) {
    if (failed(VerifyQuantizedOperands(*this, left_element, right_element, element))) return failure();
    auto right_axis = dyn_cast<PerAxis>(right_element);
    auto right_tensor = dyn_cast<PerTensor>(right_element);
    if ((right_tensor && right_tensor.getZeroPoint() != 0) ||
        (right_axis && llvm::any_of(right_axis.getZeroPoints(), [](int64_t zero_point) { return zero_point != 0; })))
      return emitOpError() << "expects zero points of rhs to be 0, but got " << right_element;
    if (right_axis && llvm::is_contained(rhs_contract, right_axis.getQuantizedDimension()))
      return emitOpError() << "expects rhs not to be quantized along a contracting dimension, but got "
                           << right_axis.getQuantizedDimension();
  }

  llvm::SmallVector<int64_t> shape;
  for (int64_t dimension : lhs_batch) shape.push_back(left.getDimSize(dimension));
  for (int64_t i = 0; i < left.getRank(); ++i)
    if (!llvm::is_contained(lhs_used, i)) shape.push_back(left.getDimSize(i));
  for (int64_t i = 0; i < right.getRank(); ++i)
    if (!llvm::is_contained(rhs_used, i)) shape.push_back(right.getDimSize(i));
  return VerifyResultShape(*this, shape, getResult());
}

LogicalResult DotOp::verify() {
  RankedTensorType left = TensorOf(getLhs()), right = TensorOf(getRhs());
  if (left.getRank() < 1 || left.getRank() > 2 || right.getRank() < 1 || right.getRank() > 2)
    return emitOpError() << "expects operands of rank 1 or 2, but got " << left << " and " << right;
  if (!CompatibleDim(left.getShape().back(), right.getShape().front()))
    return emitOpError() << "expects contracting dimensions of equal size, but got " << left << " and " << right;
  if (failed(VerifyPrecisionConfig(*this, getPrecisionConfig()))) return failure();
  Type left_element = left.getElementType(), right_element = right.getElementType(), element = ElementOf(getResult());
  if (AnyQuantized(left_element, right_element, element) &&
      failed(VerifyQuantizedOperands(*this, left_element, right_element, element)))
    return failure();
  llvm::SmallVector<int64_t> shape(left.getShape().drop_back());
  llvm::append_range(shape, right.getShape().drop_front());
  return VerifyResultShape(*this, shape, getResult());
}

}  // namespace opbyop::stablehlo
