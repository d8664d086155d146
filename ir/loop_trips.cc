// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/loop_trips.h"

#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace opbyop {
namespace {

// The value of an integer constant. Looks through an argument of the loop to the operand that initialises it. Returns
// nullopt for anything else.
std::optional<int64_t> ConstantOf(mlir::Value value, mlir::Operation* loop) {
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
      argument && argument.getOwner()->getParentOp() == loop) {
    value = loop->getOperand(argument.getArgNumber());
  }
  mlir::Operation* op = value.getDefiningOp();
  if (op == nullptr) return std::nullopt;
  const auto elements = llvm::dyn_cast_or_null<mlir::DenseIntElementsAttr>(op->getAttr("value"));
  if (!elements || elements.getNumElements() != 1 || elements.getElementType().getIntOrFloatBitWidth() > 64) {
    return std::nullopt;
  }
  return (*elements.value_begin<llvm::APInt>()).getSExtValue();
}

// The comparison that computes a loop's condition; null if it is something else.
mlir::Operation* ConditionOf(mlir::Operation& loop) {
  if (loop.getNumRegions() != 2 || !loop.getRegion(0).hasOneBlock() || !loop.getRegion(1).hasOneBlock()) return nullptr;
  mlir::Operation* end = loop.getRegion(0).front().getTerminator();
  mlir::Operation* compare = end->getNumOperands() == 1 ? end->getOperand(0).getDefiningOp() : nullptr;
  return compare != nullptr && compare->getNumOperands() == 2 ? compare : nullptr;
}

// The constant that a trip adds to a value that the condition reads: 0 if a trip leaves it unchanged, nullopt if it
// changes in another way.
std::optional<int64_t> StepOf(mlir::Operation& loop, mlir::Value seen) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(seen);
  if (!argument || argument.getOwner()->getParentOp() != &loop) return 0;
  mlir::Block& body = loop.getRegion(1).front();
  const unsigned place = argument.getArgNumber();
  const mlir::Value own = body.getArgument(place);
  const mlir::Value next = body.getTerminator()->getOperand(place);
  if (next == own) return 0;
  mlir::Operation* add = next.getDefiningOp();
  if (add == nullptr || add->getName().getStringRef() != "stablehlo.add") return std::nullopt;
  const unsigned other = add->getOperand(0) == own ? 1 : 0;
  const bool counts = add->getOperand(1 - other) == own && !llvm::isa<mlir::BlockArgument>(add->getOperand(other));
  return counts ? ConstantOf(add->getOperand(other), &loop) : std::nullopt;
}

}  // namespace

std::optional<CountedRange> CountedRangeOf(mlir::Operation& loop) {
  mlir::Operation* compare = ConditionOf(loop);
  if (compare == nullptr) return std::nullopt;
  const auto from = ConstantOf(compare->getOperand(0), &loop);
  const auto to = ConstantOf(compare->getOperand(1), &loop);
  return from && to ? std::optional(CountedRange{*from, *to}) : std::nullopt;
}

std::optional<int64_t> TripsOf(mlir::Operation& loop) {
  const std::optional<CountedRange> range = CountedRangeOf(loop);
  if (!range) return std::nullopt;
  mlir::Operation* compare = ConditionOf(loop);
  const auto direction = compare->getAttrOfType<stablehlo::ComparisonDirectionAttr>("comparison_direction");
  const auto step = StepOf(loop, compare->getOperand(0)), other = StepOf(loop, compare->getOperand(1));
  if (!direction || !step || !other || *other != 0) return std::nullopt;
  using stablehlo::ComparisonDirection;
  const ComparisonDirection kind = direction.getValue();
  const bool up = kind == ComparisonDirection::LT || kind == ComparisonDirection::LE;
  const bool down = kind == ComparisonDirection::GT || kind == ComparisonDirection::GE;
  if (!(up && *step > 0) && !(down && *step < 0)) return std::nullopt;
  const bool inclusive = kind == ComparisonDirection::LE || kind == ComparisonDirection::GE;
  // In 128 bits, which hold the distance of any two 64-bit numbers.
  const __int128 size = *step > 0 ? __int128{*step} : -__int128{*step};
  const __int128 distance =
      (*step > 0 ? __int128{range->to} - range->from : __int128{range->from} - range->to) + (inclusive ? 1 : 0);
  if (distance <= 0) return 0;
  const __int128 trips = (distance + size - 1) / size;
  return trips <= INT64_MAX ? std::optional(static_cast<int64_t>(trips)) : std::nullopt;
}

}  // namespace opbyop
