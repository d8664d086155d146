// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/region_form.h"

#include "llvm/ADT/StringSwitch.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"

namespace opbyop::reference {

Combine CombineOf(mlir::Region& region) {
  return region.getNumArguments() == 2 ? CombineOfResult(region, 0) : Combine::kOther;
}

Combine CombineOfResult(mlir::Region& region, unsigned result) {
  if (!region.hasOneBlock() || region.front().empty()) return Combine::kOther;
  mlir::Block& block = region.front();
  mlir::Operation& last = block.back();
  const unsigned results = last.getNumOperands();
  if (block.getNumArguments() != 2 * results || result >= results) return Combine::kOther;
  mlir::Value a = block.getArgument(result);
  mlir::Value b = block.getArgument(results + result);
  if (last.getOperand(result) == b) return Combine::kSecond;
  if (last.getOperand(result) == a) return Combine::kFirst;
  mlir::Operation* op = last.getOperand(result).getDefiningOp();
  if (!op || op->getBlock() != &block || op->getNumOperands() != 2) return Combine::kOther;
  const bool straight = op->getOperand(0) == a && op->getOperand(1) == b;
  const bool crossed = op->getOperand(0) == b && op->getOperand(1) == a;
  if (!straight && !crossed) return Combine::kOther;
  if (op->getResult(0).getType() != a.getType() || a.getType() != b.getType()) return Combine::kOther;
  // For quantized types it is not the stored elements that are added.
  if (llvm::isa<mlir::quant::QuantizedType>(mlir::getElementTypeOrSelf(a.getType()))) return Combine::kOther;
  return llvm::StringSwitch<Combine>(op->getName().getStringRef())
      .Case("stablehlo.add", Combine::kAdd)
      .Case("stablehlo.multiply", Combine::kMultiply)
      .Case("stablehlo.maximum", Combine::kMaximum)
      .Case("stablehlo.minimum", Combine::kMinimum)
      .Case("stablehlo.and", Combine::kAnd)
      .Case("stablehlo.or", Combine::kOr)
      .Default(Combine::kOther);
}

std::string_view CombineName(Combine combine) {
  switch (combine) {
    case Combine::kAdd:
      return "stablehlo.add";
    case Combine::kMultiply:
      return "stablehlo.multiply";
    case Combine::kMaximum:
      return "stablehlo.maximum";
    case Combine::kMinimum:
      return "stablehlo.minimum";
    case Combine::kAnd:
      return "stablehlo.and";
    case Combine::kOr:
      return "stablehlo.or";
    default:
      return "";
  }
}

}  // namespace opbyop::reference
