// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/stablehlo/traits.h"

#include "ir/stablehlo/types.h"
#include "mlir/IR/TypeUtilities.h"

namespace opbyop::stablehlo {
namespace {

llvm::SmallVector<mlir::Type> AllTypes(mlir::Operation* op) {
  llvm::SmallVector<mlir::Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  return types;
}

}  // namespace

llvm::LogicalResult VerifySameShape(mlir::Operation* op) {
  llvm::SmallVector<mlir::Type> types = AllTypes(op);
  for (size_t i = 0; i < types.size(); ++i)
    for (size_t j = i + 1; j < types.size(); ++j)
      if (!CompatibleShapes(types[i], types[j]))
        return op->emitOpError() << "requires compatible shapes for all operands and results, but " << types[i]
                                 << " and " << types[j] << " differ";
  return mlir::success();
}

llvm::LogicalResult VerifySameOperandElements(mlir::Operation* op) {
  for (mlir::Type type : op->getOperandTypes())
    if (!CompatibleElements(mlir::getElementTypeOrSelf(op->getOperandTypes().front()),
                            mlir::getElementTypeOrSelf(type)))
      return op->emitOpError() << "requires the same element type for all operands, but "
                               << op->getOperandTypes().front() << " and " << type << " differ";
  return mlir::success();
}

}  // namespace opbyop::stablehlo
