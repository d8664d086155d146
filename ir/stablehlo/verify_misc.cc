// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Type inference and verifiers of constants, normalization, linear algebra and random numbers.
#include "ir/stablehlo/infer.h"
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
  // A quantized constant holds the stored elements.
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

// Operands in `wide` must have the operand's shape, those in `narrow` one element per feature. Sets `type` to the type
// of a narrow result.
LogicalResult InferBatchNorm(const Site& site, int64_t feature, mlir::ValueRange wide, mlir::ValueRange narrow,
                             Type& type) {
  RankedTensorType operand = TensorOf(wide.front());
  if (feature < 0 || feature >= operand.getRank())
    return site.emitOpError() << "expects feature_index to be in range [0, " << operand.getRank() << "), but got "
                              << feature;
  for (mlir::ValueRange group : {wide, narrow})
    for (mlir::Value value : group) {
      if (!CompatibleShapes(value.getType(), group.front().getType()))
        return site.emitOpError() << "expects compatible shapes, but got " << value.getType() << " and "
                                  << group.front().getType();
      if (!CompatibleElements(ElementOf(value), operand.getElementType()))
        return site.emitOpError() << "expects the same element type throughout, but got " << value.getType() << " and "
                                  << operand;
    }
  Extent features = ExtentOf(operand, feature);
  type = MakeTensor({features}, operand.getElementType());
  if (!CompatibleShapes(type, narrow.front().getType()))
    return site.emitOpError() << "expects one-dimensional tensors of " << features.size
                              << " elements, one per feature, but got " << ShapeOf(narrow.front())[0];
  return success();
}

}  // namespace

LogicalResult BatchNormGradOp::Infer(const Site& site, Adaptor op, Types& types) {
  Type narrow;
  if (failed(InferBatchNorm(site, op.getFeatureIndex(), {op.getOperand(), op.getGradOutput()},
                            {op.getScale(), op.getMean(), op.getVariance()}, narrow)))
    return failure();
  types.append({op.getOperand().getType(), narrow, narrow});
  return success();
}

LogicalResult BatchNormInferenceOp::Infer(const Site& site, Adaptor op, Types& types) {
  Type narrow;
  types.push_back(op.getOperand().getType());
  return InferBatchNorm(site, op.getFeatureIndex(), {op.getOperand()},
                        {op.getScale(), op.getOffset(), op.getMean(), op.getVariance()}, narrow);
}

LogicalResult BatchNormTrainingOp::Infer(const Site& site, Adaptor op, Types& types) {
  Type narrow;
  if (failed(InferBatchNorm(site, op.getFeatureIndex(), {op.getOperand()}, {op.getScale(), op.getOffset()}, narrow)))
    return failure();
  types.append({op.getOperand().getType(), narrow, narrow});
  return success();
}

//===----------------------------------------------------------------------===//
// Linear algebra
//===----------------------------------------------------------------------===//

namespace {

LogicalResult VerifySquare(const Site& site, RankedTensorType a) {
  Dims shape = a.getShape();
  if (shape.size() < 2 || !CompatibleDim(shape[shape.size() - 1], shape[shape.size() - 2]))
    return site.emitOpError() << "expects 'a' to be square in its two minor dimensions, but got " << a;
  return success();
}

}  // namespace

LogicalResult CholeskyOp::Infer(const Site& site, Adaptor op, Types& types) {
  types.push_back(op.getA().getType());
  return VerifySquare(site, TensorOf(op.getA()));
}

LogicalResult TriangularSolveOp::Infer(const Site& site, Adaptor op, Types& types) {
  RankedTensorType a = TensorOf(op.getA()), b = TensorOf(op.getB());
  if (failed(VerifySquare(site, a))) return failure();
  if (a.getRank() != b.getRank())
    return site.emitOpError() << "expects operands of one rank, but got " << a << " and " << b;
  Dims shape = b.getShape();
  if (!CompatibleDim(a.getShape().back(), shape[shape.size() - (op.getLeftSide() ? 2 : 1)]))
    return site.emitOpError() << "expects the shared dimension of 'a' and 'b' to be of equal size, but got " << a
                              << " and " << b;
  if (!CompatibleDims(a.getShape().drop_back(2), shape.drop_back(2)))
    return site.emitOpError() << "expects equal batch dimensions, but got " << a << " and " << b;
  if (op.getTransposeA() == Transpose::TRANSPOSE_INVALID)
    return site.emitOpError() << "expects transpose_a to be NO_TRANSPOSE, TRANSPOSE or ADJOINT";
  types.push_back(b);
  return success();
}

LogicalResult FftOp::Infer(const Site& site, Adaptor op, Types& types) {
  RankedTensorType operand = TensorOf(op.getOperand());
  Dims length = op.getFftLength();
  size_t rank = length.size();
  bool real = op.getFftType() == FftType::RFFT, inverse_real = op.getFftType() == FftType::IRFFT;
  Type element = operand.getElementType();
  if (real ? !IsF32OrF64(element) : !IsComplex(element))
    return site.emitOpError() << stringifyFftType(op.getFftType()) << " expects an operand of "
                              << (real ? "f32 or f64" : "a complex type") << ", but got " << operand;
  if (rank < 1 || rank > 3) return site.emitOpError() << "expects 1 to 3 elements in fft_length, but got " << rank;
  if (operand.getRank() < static_cast<int64_t>(rank))
    return site.emitOpError() << "expects an operand of at least " << rank << " dimensions, but got " << operand;
  Dims inner = operand.getShape().take_back(rank);
  int64_t half = length.back() == 0 ? 0 : length.back() / 2 + 1;
  if (inverse_real && (!CompatibleDims(inner.drop_back(), length.drop_back()) || !CompatibleDim(inner.back(), half)))
    return site.emitOpError() << "IRFFT expects innermost sizes that agree with fft_length " << Show(length)
                              << ", the last being half of it plus 1, but got " << Show(inner);
  if (real && !CompatibleDims(inner, length))
    return site.emitOpError() << "RFFT expects innermost sizes equal to fft_length " << Show(length) << ", but got "
                              << Show(inner);
  Extents extents = ExtentsOf(operand);
  if (real) {
    extents.back() = {half};
    element = mlir::ComplexType::get(element);
  } else if (inverse_real) {
    extents.back() = {length.back()};
    element = llvm::cast<mlir::ComplexType>(element).getElementType();
  }
  types.push_back(MakeTensor(extents, element));
  return success();
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

LogicalResult RngOp::Infer(const Site& site, Adaptor op, Types& types) {
  Type a = op.getA().getType(), b = op.getB().getType();
  if (a != b) return site.emitOpError() << "expects 'a' and 'b' of one type, but got " << a << " and " << b;
  Type element = ElementOf(op.getA());
  if (op.getRngDistribution() == RngDistribution::NORMAL && !IsFloat(element))
    return site.emitOpError() << "expects floating-point operands for a NORMAL distribution, but got " << a;
  int64_t rank = ShapeOf(op.getShape())[0];
  std::optional<llvm::SmallVector<int64_t>> constant = ConstantOf(op.getShape());
  if (IsDynamic(rank)) {
    types.push_back(mlir::UnrankedTensorType::get(element));
    return success();
  }
  llvm::SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  if (constant) shape = *constant;
  for (int64_t& size : shape)
    if (size < 0) size = ShapedType::kDynamic;
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

LogicalResult RngBitGeneratorOp::verify() {
  // The specification states the size of the state for words of 64 bits.
  RankedTensorType state = TensorOf(getInitialState());
  if (state.getRank() == 1 && !state.isDynamicDim(0) && state.getElementTypeBitWidth() == 64) {
    int64_t size = state.getDimSize(0);
    if (getRngAlgorithm() == RngAlgorithm::THREE_FRY && size != 2)
      return emitOpError() << "expects an initial state of 2 elements for THREE_FRY, but got " << size;
    if (getRngAlgorithm() == RngAlgorithm::PHILOX && size != 2 && size != 3)
      return emitOpError() << "expects an initial state of 2 or 3 elements for PHILOX, but got " << size;
  }
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

LogicalResult UniformDequantizeOp::Infer(const Site&, Adaptor op, Types& types) {
  Type expressed = llvm::cast<mlir::quant::QuantizedType>(ElementOf(op.getOperand())).getExpressedType();
  types.push_back(WithElement(op.getOperand().getType(), expressed));
  return success();
}

// Addition is the only elementwise op that takes per-axis quantized operands.
LogicalResult AddOp::verify() {
  using PerAxis = mlir::quant::UniformQuantizedPerAxisType;
  auto lhs = dyn_cast<PerAxis>(ElementOf(getLhs())), rhs = dyn_cast<PerAxis>(ElementOf(getRhs())),
       result = dyn_cast<PerAxis>(ElementOf(getResult()));
  if (result && !lhs && !rhs)
    return emitOpError() << "expects a per-axis quantized operand of a per-axis quantized result, but got "
                         << getLhs().getType() << " and " << getRhs().getType();
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
