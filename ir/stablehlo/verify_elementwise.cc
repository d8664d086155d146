// Verifiers of elementwise ops, beyond the traits.
#include "ir/stablehlo/verify.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace opbyop::stablehlo {

using llvm::LogicalResult;
using mlir::failure;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Type;

namespace {

// The result holds the real parts of the operand's elements.
LogicalResult VerifyRealResult(mlir::Operation* op) {
  auto operand = llvm::cast<RankedTensorType>(op->getOperand(0).getType());
  Type element = RealPart(operand).getElementType();
  Type result = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  if (CompatibleElements(element, result)) return success();
  return op->emitOpError() << "expects the result element type " << element << ", but got " << result;
}

}  // namespace

LogicalResult AbsOp::verify() { return VerifyRealResult(*this); }
LogicalResult RealOp::verify() { return VerifyRealResult(*this); }
LogicalResult ImagOp::verify() { return VerifyRealResult(*this); }

LogicalResult ComplexOp::verify() {
  if (ElementOf(getLhs()) != ElementOf(getRhs()))
    return emitOpError() << "expects operands of the same element type, but got " << Show(getOperandTypes());
  auto element = llvm::cast<mlir::ComplexType>(ElementOf(getResult())).getElementType();
  if (element != ElementOf(getLhs()))
    return emitOpError() << "expects a result of complex elements of " << ElementOf(getLhs()) << ", but got "
                         << getType();
  return success();
}

LogicalResult SelectOp::verify() {
  if (RankOf(getPred()) != 0 && !CompatibleShapes(getPred().getType(), getOnTrue().getType()))
    return emitOpError() << "expects a predicate that is a scalar or of the operands' shape, but got "
                         << getPred().getType() << " and " << getOnTrue().getType();
  if (!CompatibleTypes(getOnTrue().getType(), getOnFalse().getType()))
    return emitOpError() << "expects alternatives of compatible types, but got " << getOnTrue().getType() << " and "
                         << getOnFalse().getType();
  if (failed(VerifyResultType(*this, getOnTrue().getType(), getType()))) return failure();
  return VerifyResultType(*this, getOnFalse().getType(), getType());
}

LogicalResult ClampOp::verify() {
  for (auto [name, limit] : {std::pair("min", getMin()), std::pair("max", getMax())}) {
    if (RankOf(limit) != 0 && !CompatibleShapes(limit.getType(), getOperand().getType()))
      return emitOpError() << "expects " << name << " to be a scalar or of the operand's shape, but got "
                           << limit.getType() << " and " << getOperand().getType();
    if (!CompatibleElements(ElementOf(limit), ElementOf(getOperand())))
      return emitOpError() << "expects " << name << " to have the operand's element type, but got " << limit.getType()
                           << " and " << getOperand().getType();
  }
  return VerifyResultType(*this, getOperand().getType(), getType());
}

LogicalResult ReducePrecisionOp::verify() {
  auto exponent = static_cast<int32_t>(getExponentBits()), mantissa = static_cast<int32_t>(getMantissaBits());
  if (exponent < 1) return emitOpError() << "expects positive exponent_bits, but got " << exponent;
  if (mantissa < 0) return emitOpError() << "expects non-negative mantissa_bits, but got " << mantissa;
  return success();
}

namespace {

std::optional<unsigned> BitsOf(Type element) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) {
    std::optional<unsigned> part = BitsOf(complex.getElementType());
    return part ? std::optional(*part * 2) : std::nullopt;
  }
  if (auto quantized = llvm::dyn_cast<mlir::quant::QuantizedType>(element))
    return quantized.getStorageTypeIntegralWidth();
  if (element.isIntOrFloat()) return element.getIntOrFloatBitWidth();
  return std::nullopt;
}

}  // namespace

LogicalResult BitcastConvertOp::verify() {
  RankedTensorType from = TensorOf(getOperand()), to = TensorOf(getResult());
  std::optional<unsigned> from_bits = BitsOf(from.getElementType()), to_bits = BitsOf(to.getElementType());
  if (!from_bits || !to_bits) return success();
  if (llvm::isa<mlir::ComplexType>(from.getElementType()) != llvm::isa<mlir::ComplexType>(to.getElementType()))
    return emitOpError() << "cannot convert between real and complex types, but got " << from << " and " << to;
  RankedTensorType narrow = *from_bits <= *to_bits ? from : to, wide = *from_bits <= *to_bits ? to : from;
  unsigned narrow_bits = std::min(*from_bits, *to_bits), wide_bits = std::max(*from_bits, *to_bits);
  Dims prefix = narrow.getShape();
  if (narrow_bits != wide_bits) {
    if (narrow.getRank() != wide.getRank() + 1)
      return emitOpError() << "expects one more dimension in the type of smaller elements, but got " << from << " and "
                           << to;
    int64_t last = prefix.back();
    prefix = prefix.drop_back();
    if (!IsDynamic(last) && narrow_bits * last != wide_bits)
      return emitOpError() << "expects the innermost dimension to hold one wide element, but " << narrow_bits << " * "
                           << last << " bits are not " << wide_bits;
  }
  if (!CompatibleDims(prefix, wide.getShape()))
    return emitOpError()
           << "expects shapes that match but for the innermost dimension of the smaller elements, but got " << from
           << " and " << to;
  return success();
}

LogicalResult MapOp::verify() {
  if (getInputs().empty()) return emitOpError() << "expects at least one operand";
  Dims dimensions = getDimensions();
  for (auto [i, dimension] : llvm::enumerate(dimensions))
    if (dimension != static_cast<int64_t>(i))
      return emitOpError() << "expects dimensions to count up from 0, but got " << Show(dimensions);
  for (mlir::Value input : getInputs()) {
    if (static_cast<int64_t>(dimensions.size()) != RankOf(input))
      return emitOpError() << "expects as many dimensions as the operand has, but got " << dimensions.size() << " for "
                           << input.getType();
    if (!CompatibleShapes(input.getType(), getInputs().front().getType()))
      return emitOpError() << "expects operands of compatible shapes, but got " << Show(getOperandTypes());
  }
  mlir::Block& block = getComputation().front();
  if (block.getNumArguments() != getInputs().size())
    return emitOpError() << "expects a computation of " << getInputs().size() << " parameters, but it takes "
                         << block.getNumArguments();
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    auto parameter = llvm::dyn_cast<RankedTensorType>(block.getArgument(i).getType());
    if (!parameter || parameter.getRank() != 0 || !CompatibleElements(parameter.getElementType(), ElementOf(input)))
      return emitOpError() << "expects parameter " << i << " of the computation to be a scalar of " << ElementOf(input)
                           << ", but got " << block.getArgument(i).getType();
  }
  llvm::SmallVector<Type> returned = ReturnedTypes(getComputation());
  auto scalar = returned.size() == 1 ? llvm::dyn_cast<RankedTensorType>(returned.front()) : RankedTensorType();
  if (!scalar || scalar.getRank() != 0)
    return emitOpError() << "expects a computation that returns one scalar, but it returns " << Show(returned);
  return VerifyResultType(*this, RankedTensorType::get(ShapeOf(getInputs().front()), scalar.getElementType()),
                          getType());
}

}  // namespace opbyop::stablehlo
