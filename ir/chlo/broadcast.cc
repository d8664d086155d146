// Generated code and verifiers of the ops in broadcast.td.
#include "ir/chlo/chlo.h"
#include "ir/stablehlo/old_spellings.h"
#include "mlir/IR/TypeUtilities.h"

#define GET_OP_CLASSES
#include "ir/chlo/broadcast.cc.inc"

namespace opbyop::chlo {

using llvm::LogicalResult;
using mlir::failure;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;
using mlir::Type;

namespace {

// The sizes of two operands, the one of lower rank aligned by `dimensions` or
// at the trailing end, must be equal or 1.
LogicalResult VerifyShapes(mlir::Operation* op, Type lhs, Type rhs, std::optional<llvm::ArrayRef<int64_t>> dimensions) {
  auto left = llvm::dyn_cast<RankedTensorType>(lhs), right = llvm::dyn_cast<RankedTensorType>(rhs);
  if (!left || !right) return success();
  RankedTensorType small = left.getRank() <= right.getRank() ? left : right,
                   large = left.getRank() <= right.getRank() ? right : left;
  if (dimensions && left.getRank() != right.getRank()) {
    if (static_cast<int64_t>(dimensions->size()) != small.getRank())
      return op->emitOpError() << "expects " << small.getRank() << " broadcast_dimensions, but got "
                               << dimensions->size();
    for (int64_t dimension : *dimensions)
      if (dimension < 0 || dimension >= large.getRank())
        return op->emitOpError() << "expects broadcast_dimensions to be in range [0, " << large.getRank()
                                 << "), but got " << dimension;
  }
  return success();
}

LogicalResult VerifyBroadcast(mlir::Operation* op, std::optional<llvm::ArrayRef<int64_t>> dimensions,
                              bool same_result) {
  Type lhs = op->getOperand(0).getType(), rhs = op->getOperand(1).getType(), result = op->getResult(0).getType();
  auto element = [](Type type) { return mlir::getElementTypeOrSelf(type); };
  if (!stablehlo::CompatibleElements(element(lhs), element(rhs)))
    return op->emitOpError() << "expects operands of the same element type, but got " << lhs << " and " << rhs;
  if (same_result && !stablehlo::CompatibleElements(element(lhs), element(result)))
    return op->emitOpError() << "expects a result of the operands' element type, but got " << result << " and " << lhs;
  return VerifyShapes(op, lhs, rhs, dimensions);
}

}  // namespace

LogicalResult BroadcastAddOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastAndOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastAtan2Op::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastDivOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastMaxOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastMinOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastMulOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastNextAfterOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastOrOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastPolygammaOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastPowOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastRemOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastShiftLeftOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastShiftRightArithmeticOp::verify() {
  return VerifyBroadcast(*this, getBroadcastDimensions(), true);
}
LogicalResult BroadcastShiftRightLogicalOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastSubOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastXorOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastZetaOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), true); }
LogicalResult BroadcastComplexOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), false); }
LogicalResult BroadcastCompareOp::verify() { return VerifyBroadcast(*this, getBroadcastDimensions(), false); }

LogicalResult BroadcastSelectOp::verify() {
  Type on_true = mlir::getElementTypeOrSelf(getOnTrue().getType()),
       on_false = mlir::getElementTypeOrSelf(getOnFalse().getType()), result = mlir::getElementTypeOrSelf(getType());
  if (stablehlo::CompatibleElements(on_true, on_false) && stablehlo::CompatibleElements(on_true, result))
    return success();
  return emitOpError() << "expects alternatives and result of one element type, but got " << getOnTrue().getType()
                       << ", " << getOnFalse().getType() << " and " << getType();
}

void ChloDialect::RegisterBroadcastOps() {
  stablehlo::RegisterReadingOldSpellings<
#define GET_OP_LIST
#include "ir/chlo/broadcast.cc.inc"
      >(*this);
}

}  // namespace opbyop::chlo
