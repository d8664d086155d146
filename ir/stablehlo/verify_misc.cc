// Verifiers of constants, normalization, linear algebra and random numbers.
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

LogicalResult ConstantOp::verify() {
  auto value = dyn_cast<RankedTensorType>(getValue().getShapedType());
  if (!value || value.getShape() != getType().getShape())
    return emitOpError() << "has a value of type " << getValue().getShapedType() << ", but the result type "
                         << getType();
  Type element = getType().getElementType();
  // A quantized constant holds what is stored.
  if (auto quantized = dyn_cast<mlir::quant::QuantizedType>(element))
    element = mlir::IntegerType::get(getContext(), quantized.getStorageTypeIntegralWidth(),
                                     quantized.isSigned() ? mlir::IntegerType::Signless : mlir::IntegerType::Unsigned);
  if (value.getElementType() != element && value.getElementType() != getType().getElementType())
    return emitOpError() << "expects elements of " << element << ", but got " << value.getElementType();
  return success();
}

LogicalResult IotaOp::verify() {
  auto dimension = static_cast<int64_t>(getIotaDimension());
  if (dimension < 0 || dimension >= getType().getRank())
    return emitOpError() << "expects iota_dimension to be in range [0, " << getType().getRank() << "), but got "
                         << dimension;
  for (int64_t i = 0; i < getType().getRank(); ++i)
    if (getType().isDynamicDim(i) && IsDynamic(BoundOf(getType(), i)))
      return emitOpError() << "expects a statically shaped result, but got " << getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

namespace {

// `wide` are of the operand's shape, `narrow` have one element per feature.
LogicalResult VerifyBatchNorm(mlir::Operation* op, int64_t feature, llvm::ArrayRef<mlir::Value> wide,
                              llvm::ArrayRef<mlir::Value> narrow) {
  RankedTensorType operand = TensorOf(wide.front());
  if (feature < 0 || feature >= operand.getRank())
    return op->emitOpError() << "expects feature_index to be in range [0, " << operand.getRank() << "), but got "
                             << feature;
  for (llvm::ArrayRef<mlir::Value> group : {wide, narrow})
    for (mlir::Value value : group)
      if (!CompatibleTypes(value.getType(), group.front().getType()))
        return op->emitOpError() << "expects compatible types, but got " << value.getType() << " and "
                                 << group.front().getType();
  int64_t features = operand.getDimSize(feature), size = ShapeOf(narrow.front())[0];
  if (!CompatibleDim(features, size))
    return op->emitOpError() << "expects one-dimensional tensors of " << features << " elements, one per feature, but "
                             << "got " << size;
  return success();
}

}  // namespace

LogicalResult BatchNormGradOp::verify() {
  return VerifyBatchNorm(*this, getFeatureIndex(), {getOperand(), getGradOutput(), getGradOperand()},
                         {getScale(), getMean(), getVariance(), getGradScale(), getGradOffset()});
}

LogicalResult BatchNormInferenceOp::verify() {
  return VerifyBatchNorm(*this, getFeatureIndex(), {getOperand(), getResult()},
                         {getScale(), getOffset(), getMean(), getVariance()});
}

LogicalResult BatchNormTrainingOp::verify() {
  return VerifyBatchNorm(*this, getFeatureIndex(), {getOperand(), getOutput()},
                         {getScale(), getOffset(), getBatchMean(), getBatchVar()});
}

//===----------------------------------------------------------------------===//
// Linear algebra
//===----------------------------------------------------------------------===//

namespace {

LogicalResult VerifySquare(mlir::Operation* op, RankedTensorType a) {
  Dims shape = a.getShape();
  if (shape.size() < 2 || !CompatibleDim(shape[shape.size() - 1], shape[shape.size() - 2]))
    return op->emitOpError() << "expects 'a' to be square in its two minor dimensions, but got " << a;
  return success();
}

}  // namespace

LogicalResult CholeskyOp::verify() { return VerifySquare(*this, TensorOf(getA())); }

LogicalResult TriangularSolveOp::verify() {
  RankedTensorType a = TensorOf(getA()), b = TensorOf(getB());
  if (failed(VerifySquare(*this, a))) return failure();
  if (a.getRank() != b.getRank()) return emitOpError() << "expects operands of one rank, but got " << a << " and " << b;
  Dims shape = b.getShape();
  if (!CompatibleDim(a.getShape().back(), shape[shape.size() - (getLeftSide() ? 2 : 1)]))
    return emitOpError() << "expects the shared dimension of 'a' and 'b' to be of equal size, but got " << a << " and "
                         << b;
  if (!CompatibleDims(a.getShape().drop_back(2), shape.drop_back(2)))
    return emitOpError() << "expects equal batch dimensions, but got " << a << " and " << b;
  if (getTransposeA() == Transpose::TRANSPOSE_INVALID)
    return emitOpError() << "expects transpose_a to be NO_TRANSPOSE, TRANSPOSE or ADJOINT";
  return VerifyResultType(*this, b, getType());
}

LogicalResult FftOp::verify() {
  RankedTensorType operand = TensorOf(getOperand());
  Dims length = getFftLength();
  size_t rank = length.size();
  bool real = getFftType() == FftType::RFFT;
  Type element = operand.getElementType();
  if (real ? !IsF32OrF64(element) : !IsComplex(element))
    return emitOpError() << stringifyFftType(getFftType()) << " expects an operand of "
                         << (real ? "f32 or f64" : "a complex type") << ", but got " << operand;
  if (rank < 1 || rank > 3) return emitOpError() << "expects 1 to 3 elements in fft_length, but got " << rank;
  if (operand.getRank() < static_cast<int64_t>(rank))
    return emitOpError() << "expects an operand of at least " << rank << " dimensions, but got " << operand;
  llvm::SmallVector<int64_t> shape(operand.getShape());
  llvm::MutableArrayRef<int64_t> inner = llvm::MutableArrayRef(shape).take_back(rank);
  if (getFftType() == FftType::IRFFT) {
    if (!CompatibleDims(inner.drop_back(), length.drop_back()) ||
        !CompatibleDim(inner.back(), length.back() == 0 ? 0 : length.back() / 2 + 1))
      return emitOpError() << "IRFFT expects innermost sizes that agree with fft_length " << Show(length)
                           << ", the last being half of it plus 1, but got " << Show(inner);
    inner.back() = length.back();
  } else {
    if (real && !CompatibleDims(inner, length))
      return emitOpError() << "RFFT expects innermost sizes equal to fft_length " << Show(length) << ", but got "
                           << Show(inner);
    if (real && !IsDynamic(inner.back())) inner.back() = inner.back() == 0 ? 0 : inner.back() / 2 + 1;
  }
  if (real)
    element = mlir::ComplexType::get(element);
  else if (getFftType() == FftType::IRFFT)
    element = llvm::cast<mlir::ComplexType>(element).getElementType();
  return VerifyResultType(*this, RankedTensorType::get(shape, element), getType());
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

LogicalResult RngOp::verify() {
  if (getA().getType() != getB().getType())
    return emitOpError() << "expects 'a' and 'b' of one type, but got " << getA().getType() << " and "
                         << getB().getType();
  int64_t rank = ShapeOf(getShape())[0];
  if (IsDynamic(rank)) rank = getType().getRank();
  llvm::SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  if (std::optional<llvm::SmallVector<int64_t>> constant = ConstantOf(getShape())) shape = *constant;
  for (int64_t& size : shape)
    if (size < 0) size = ShapedType::kDynamic;
  return VerifyResultType(*this, RankedTensorType::get(shape, ElementOf(getA())), getType());
}

LogicalResult RngBitGeneratorOp::verify() {
  return VerifyResultType(*this, getInitialState().getType(), getOutputState().getType());
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

LogicalResult UniformQuantizeOp::verify() {
  Type from = ElementOf(getOperand());
  if (auto quantized = dyn_cast<mlir::quant::QuantizedType>(from)) from = quantized.getExpressedType();
  Type expressed = llvm::cast<mlir::quant::QuantizedType>(ElementOf(getResult())).getExpressedType();
  if (from == expressed) return success();
  return emitOpError() << "expects a result that expresses " << from << ", but got " << expressed;
}

LogicalResult UniformDequantizeOp::verify() {
  Type expressed = llvm::cast<mlir::quant::QuantizedType>(ElementOf(getOperand())).getExpressedType();
  if (ElementOf(getResult()) == expressed) return success();
  return emitOpError() << "expects a result of the expressed type " << expressed << ", but got "
                       << ElementOf(getResult());
}

// Of all elementwise ops only addition takes per-axis quantized operands.
LogicalResult AddOp::verify() {
  using PerAxis = mlir::quant::UniformQuantizedPerAxisType;
  auto lhs = dyn_cast<PerAxis>(ElementOf(getLhs())), rhs = dyn_cast<PerAxis>(ElementOf(getRhs())),
       result = dyn_cast<PerAxis>(ElementOf(getResult()));
  for (PerAxis operand : {lhs, rhs}) {
    if (operand && !result)
      return emitOpError() << "expects a per-axis quantized result of per-axis quantized operands, but got "
                           << getType();
    if (operand && operand.getQuantizedDimension() != result.getQuantizedDimension())
      return emitOpError() << "expects operands and result to be quantized along one dimension, but got "
                           << operand.getQuantizedDimension() << " and " << result.getQuantizedDimension();
  }
  return success();
}

}  // namespace opbyop::stablehlo
