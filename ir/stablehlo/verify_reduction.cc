// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Type inference of reduce, reduce_window and select_and_scatter.
#include "ir/stablehlo/infer.h"

namespace opbyop::stablehlo {

using llvm::LogicalResult;
using mlir::failure;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Type;
using mlir::ValueRange;

namespace {

LogicalResult VerifyInputs(const Site& site, ValueRange inputs, ValueRange inits) {
  if (inputs.empty()) return site.emitOpError() << "expects at least one input";
  for (auto [i, input, init] : llvm::enumerate(inputs, inits)) {
    if (!CompatibleShapes(input.getType(), inputs.front().getType()))
      return site.emitOpError() << "expects inputs of compatible shapes, but got " << Show(inputs.getTypes());
    if (!CompatibleElements(ElementOf(input), ElementOf(init)))
      return site.emitOpError() << "expects initial value " << i << " of the input's element type " << ElementOf(input)
                                << ", but got " << ElementOf(init);
  }
  return success();
}

// Adds result types with these extents and the element types that the region returns.
void AddResults(llvm::ArrayRef<Extent> extents, mlir::Region& region, ValueRange inputs, Types& types) {
  for (Type element : ReturnedElements(region, inputs.getTypes())) types.push_back(MakeTensor(extents, element));
}

Extents MergedExtents(const Site& site, ValueRange inputs) {
  Type merged;
  llvm::SmallVector<Type> types;
  for (Type type : inputs.getTypes()) types.push_back(WithElement(type, ElementOf(inputs.front())));
  if (failed(Merge(site, types, merged))) return ExtentsOf(TensorOf(inputs.front()));
  return ExtentsOf(llvm::cast<RankedTensorType>(merged));
}

}  // namespace

LogicalResult ReduceOp::Infer(const Site& site, Adaptor op, Types& types) {
  ValueRange inputs = op.getInputs(), inits = op.getInitValues();
  if (failed(VerifyInputs(site, inputs, inits))) return failure();
  Extents extents = MergedExtents(site, inputs), free;
  if (failed(VerifyInRange(site, "dimensions", op.getDimensions(), extents.size())) ||
      failed(VerifyUnique(site, "dimensions", op.getDimensions())))
    return failure();
  llvm::SmallVector<int64_t> sizes;
  for (auto [i, extent] : llvm::enumerate(extents)) {
    if (llvm::is_contained(op.getDimensions(), i)) continue;
    free.push_back(extent);
    sizes.push_back(extent.size);
  }
  if (failed(VerifyReducer(site, op.getBody(), inputs.getTypes(), inits.getTypes(), sizes))) return failure();
  AddResults(free, op.getBody(), inputs, types);
  return success();
}

LogicalResult ReduceWindowOp::Infer(const Site& site, Adaptor op, Types& types) {
  ValueRange inputs = op.getInputs(), inits = op.getInitValues();
  if (failed(VerifyInputs(site, inputs, inits))) return failure();
  Extents extents = MergedExtents(site, inputs);
  Dims sizes = op.getWindowDimensions();
  Window window;
  if (failed(VerifySize(site, "window_dimensions", sizes.size(), extents.size())) ||
      failed(VerifyWindow(
          site, sizes, {op.getWindowStrides(), op.getPaddingAttr(), op.getBaseDilations(), op.getWindowDilations(), {}},
          window)) ||
      failed(VerifyReducer(site, op.getBody(), inputs.getTypes(), inits.getTypes(), sizes)))
    return failure();
  for (auto [i, extent] : llvm::enumerate(extents)) extent = WindowPositions(window, i, extent);
  AddResults(extents, op.getBody(), inputs, types);
  return success();
}

LogicalResult SelectAndScatterOp::Infer(const Site& site, Adaptor op, Types& types) {
  RankedTensorType operand = TensorOf(op.getOperand());
  Dims sizes = op.getWindowDimensions() ? Dims(*op.getWindowDimensions()) : Dims();
  Window window;
  if (failed(VerifySize(site, "window_dimensions", sizes.size(), operand.getRank())) ||
      failed(VerifyWindow(site, sizes, {op.getWindowStrides(), op.getPaddingAttr(), {}, {}, {}}, window)))
    return failure();
  Extents positions = ExtentsOf(operand);
  for (auto [i, extent] : llvm::enumerate(positions)) extent = WindowPositions(window, i, extent);
  Type source = MakeTensor(positions, operand.getElementType());
  if (!CompatibleTypes(source, op.getSource().getType()))
    return site.emitOpError() << "expects a source of type " << source << ", but got " << op.getSource().getType();
  if (!CompatibleElements(ElementOf(op.getInitValue()), operand.getElementType()))
    return site.emitOpError() << "expects an initial value of the operand's element type " << operand.getElementType()
                              << ", but got " << ElementOf(op.getInitValue());

  if (!op.getSelect().empty()) {
    mlir::Block& select = op.getSelect().front();
    if (select.getNumArguments() != 2)
      return site.emitOpError() << "expects a select region of 2 parameters, but it takes " << select.getNumArguments();
    for (mlir::BlockArgument argument : select.getArguments()) {
      auto type = llvm::dyn_cast<RankedTensorType>(argument.getType());
      if (!type || type.getRank() != 0 || !CompatibleElements(type.getElementType(), operand.getElementType()))
        return site.emitOpError() << "expects the select region's parameters to be "
                                  << RankedTensorType::get({}, operand.getElementType()) << ", but got "
                                  << argument.getType();
    }
    llvm::SmallVector<Type> returned = ReturnedTypes(op.getSelect());
    if (!IsPredicate(returned))
      return site.emitOpError() << "expects a select region that returns 'tensor<i1>', but it returns "
                                << Show(returned);
  }
  if (failed(VerifyReducer(site, op.getScatter(), {op.getSource().getType()}, {op.getInitValue().getType()}, {})))
    return failure();
  for (Type element : ReturnedElements(op.getScatter(), {operand})) types.push_back(WithElement(operand, element));
  return success();
}

}  // namespace opbyop::stablehlo
