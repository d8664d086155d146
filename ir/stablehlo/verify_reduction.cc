// Verifiers of reduce, reduce_window and select_and_scatter.
#include "ir/stablehlo/verify.h"

namespace opbyop::stablehlo {

using llvm::LogicalResult;
using mlir::failure;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Type;

namespace {

LogicalResult VerifyInputs(mlir::Operation* op, mlir::OperandRange inputs) {
  if (inputs.empty()) return op->emitOpError() << "expects at least one input";
  for (mlir::Value input : inputs)
    if (!CompatibleShapes(input.getType(), inputs.front().getType()))
      return op->emitOpError() << "expects inputs of compatible shapes, but got " << Show(inputs.getTypes());
  return success();
}

LogicalResult VerifyReducedTypes(mlir::Operation* op, mlir::Region& region, Dims shape) {
  llvm::SmallVector<Type> inferred;
  for (Type returned : ReturnedTypes(region))
    inferred.push_back(RankedTensorType::get(shape, mlir::getElementTypeOrSelf(returned)));
  return VerifyResultTypes(op, inferred, op->getResultTypes());
}

}  // namespace

LogicalResult ReduceOp::verify() {
  if (failed(VerifyInputs(*this, getInputs()))) return failure();
  int64_t rank = RankOf(getInputs().front());
  if (failed(VerifyInRange(*this, "dimensions", getDimensions(), rank)) ||
      failed(VerifyUnique(*this, "dimensions", getDimensions())))
    return failure();
  llvm::SmallVector<int64_t> free;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(getDimensions(), i)) free.push_back(ShapeOf(getInputs().front())[i]);
  if (failed(VerifyReducer(*this, getBody(), getInputs().getTypes(), getInitValues().getTypes(), free)))
    return failure();
  return VerifyReducedTypes(*this, getBody(), free);
}

LogicalResult ReduceWindowOp::verify() {
  if (failed(VerifyInputs(*this, getInputs()))) return failure();
  Dims shape = ShapeOf(getInputs().front());
  Window window;
  if (failed(VerifySize(*this, "window_dimensions", getWindowDimensions().size(), shape.size())) ||
      failed(VerifyWindow(*this, getWindowDimensions(),
                          {getWindowStrides(), getPaddingAttr(), getBaseDilations(), getWindowDilations(), {}},
                          window)) ||
      failed(
          VerifyReducer(*this, getBody(), getInputs().getTypes(), getInitValues().getTypes(), getWindowDimensions())))
    return failure();
  llvm::SmallVector<int64_t> inferred;
  for (auto [i, size] : llvm::enumerate(shape)) inferred.push_back(WindowPositions(window, i, size));
  return VerifyReducedTypes(*this, getBody(), inferred);
}

LogicalResult SelectAndScatterOp::verify() {
  RankedTensorType operand = TensorOf(getOperand());
  Dims sizes = getWindowDimensions() ? Dims(*getWindowDimensions()) : Dims();
  Window window;
  if (failed(VerifySize(*this, "window_dimensions", sizes.size(), operand.getRank())) ||
      failed(VerifyWindow(*this, sizes, {getWindowStrides(), getPaddingAttr(), {}, {}, {}}, window)))
    return failure();
  llvm::SmallVector<int64_t> positions;
  for (auto [i, size] : llvm::enumerate(operand.getShape())) positions.push_back(WindowPositions(window, i, size));
  auto source = RankedTensorType::get(positions, operand.getElementType());
  if (!CompatibleTypes(source, getSource().getType()))
    return emitOpError() << "expects a source of type " << source << ", but got " << getSource().getType();

  Type scalar = RankedTensorType::get({}, operand.getElementType());
  mlir::Block& select = getSelect().front();
  if (select.getNumArguments() != 2)
    return emitOpError() << "expects a select region of 2 parameters, but it takes " << select.getNumArguments();
  for (mlir::BlockArgument argument : select.getArguments()) {
    auto type = llvm::dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.getRank() != 0 || !CompatibleElements(type.getElementType(), operand.getElementType()))
      return emitOpError() << "expects the select region's parameters to be " << scalar << ", but got "
                           << argument.getType();
  }
  llvm::SmallVector<Type> returned = ReturnedTypes(getSelect());
  auto predicate = returned.size() == 1 ? llvm::dyn_cast<RankedTensorType>(returned.front()) : RankedTensorType();
  if (!predicate || predicate.getRank() != 0 || !IsBoolean(predicate.getElementType()))
    return emitOpError() << "expects a select region that returns 'tensor<i1>', but it returns " << Show(returned);

  if (failed(VerifyReducer(*this, getScatter(), {getSource().getType()}, {getInitValue().getType()}, {})))
    return failure();
  Type element = mlir::getElementTypeOrSelf(ReturnedTypes(getScatter()).front());
  return VerifyResultType(*this, RankedTensorType::get(operand.getShape(), element), getType());
}

}  // namespace opbyop::stablehlo
