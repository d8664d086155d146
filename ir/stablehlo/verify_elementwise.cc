// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Type inference and verifiers of elementwise ops, as far as traits do not cover them.
#include "ir/stablehlo/infer.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace opbyop::stablehlo {

using llvm::LogicalResult;
using mlir::failure;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Type;

LogicalResult ComplexOp::Infer(const Site& site, Adaptor op, Types& types) {
  Type part = ElementOf(op.getLhs());
  if (part != ElementOf(op.getRhs()))
    return site.emitOpError() << "expects operands of the same element type, but got "
                              << Show(mlir::ValueRange(op.getOperands()).getTypes());
  return Merge(site, mlir::ValueRange(op.getOperands()).getTypes(), mlir::ComplexType::get(part), types.emplace_back());
}

LogicalResult CompareOp::verify() {
  return getCompareType() ? VerifyComparisonType(*this, ElementOf(getLhs()), *getCompareType()) : success();
}

LogicalResult SelectOp::Infer(const Site& site, Adaptor op, Types& types) {
  Type on_true = op.getOnTrue().getType(), on_false = op.getOnFalse().getType(), pred = op.getPred().getType();
  if (!CompatibleTypes(on_true, on_false))
    return site.emitOpError() << "expects alternatives of compatible types, but got " << on_true << " and " << on_false;
  if (RankOf(op.getPred()) != 0 && !CompatibleShapes(pred, on_true))
    return site.emitOpError() << "expects a predicate that is a scalar or of the operands' shape, but got " << pred
                              << " and " << on_true;
  return Merge(site, {on_true, on_false}, types.emplace_back());
}

LogicalResult ClampOp::Infer(const Site& site, Adaptor op, Types& types) {
  Type operand = op.getOperand().getType();
  for (auto [name, limit] : {std::pair("min", op.getMin()), std::pair("max", op.getMax())}) {
    if (RankOf(limit) != 0 && !CompatibleShapes(limit.getType(), operand))
      return site.emitOpError() << "expects " << name << " to be a scalar or of the operand's shape, but got "
                                << limit.getType() << " and " << operand;
    if (!CompatibleElements(ElementOf(limit), ElementOf(op.getOperand())))
      return site.emitOpError() << "expects " << name << " to have the operand's element type, but got "
                                << limit.getType() << " and " << operand;
  }
  types.push_back(operand);
  return success();
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

LogicalResult MapOp::Infer(const Site& site, Adaptor op, Types& types) {
  mlir::ValueRange inputs = op.getInputs();
  if (inputs.empty()) return site.emitOpError() << "expects at least one operand";
  Dims dimensions = op.getDimensions();
  if (!llvm::equal(dimensions, llvm::seq<int64_t>(dimensions.size())))
    return site.emitOpError() << "expects dimensions to count up from 0, but got " << Show(dimensions);
  for (mlir::Value input : inputs)
    if (static_cast<int64_t>(dimensions.size()) != RankOf(input))
      return site.emitOpError() << "expects as many dimensions as the operand has, but got " << dimensions.size()
                                << " for " << input.getType();
  if (op.getComputation().empty()) return site.emitOpError() << "cannot be inferred without its computation";
  mlir::Block& block = op.getComputation().front();
  if (block.getNumArguments() != inputs.size())
    return site.emitOpError() << "expects a computation of " << inputs.size() << " parameters, but it takes "
                              << block.getNumArguments();
  for (auto [i, input] : llvm::enumerate(inputs)) {
    auto parameter = llvm::dyn_cast<RankedTensorType>(block.getArgument(i).getType());
    if (!parameter || parameter.getRank() != 0 || !CompatibleElements(parameter.getElementType(), ElementOf(input)))
      return site.emitOpError() << "expects parameter " << i << " of the computation to be a scalar of "
                                << ElementOf(input) << ", but got " << block.getArgument(i).getType();
  }
  llvm::SmallVector<Type> returned = ReturnedTypes(op.getComputation());
  auto scalar = returned.size() == 1 ? llvm::dyn_cast<RankedTensorType>(returned.front()) : RankedTensorType();
  if (!scalar || scalar.getRank() != 0)
    return site.emitOpError() << "expects a computation that returns one scalar, but it returns " << Show(returned);
  return Merge(site, inputs.getTypes(), scalar.getElementType(), types.emplace_back());
}

}  // namespace opbyop::stablehlo
