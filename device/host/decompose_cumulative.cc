// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/decompose_cumulative.h"

#include <mlir/IR/Matchers.h>

#include <optional>

#include "device/host/hlo_builder.h"
#include "device/host/lowering/scalar.h"
#include "device/host/lowering/types.h"

namespace opbyop::host {
namespace {

using mlir::Value;

constexpr int64_t kMinPositions = 1024;

struct Cumulative {
  int64_t dimension;
  bool from_end;             // each position combines those after it
  mlir::Operation* combine;  // the op of the body
};

bool AllAre(std::optional<llvm::ArrayRef<int64_t>> values, int64_t value) {
  return !values || llvm::all_of(*values, [&](int64_t each) { return each == value; });
}

// Whether `value` is a constant whose elements are all this number.
bool IsSplatOf(Value value, double number) {
  if (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>()) value = broadcast.getOperand();
  mlir::DenseElementsAttr elements;
  if (!mlir::matchPattern(value, mlir::m_Constant(&elements)) || !elements.isSplat()) return false;
  return elements.getSplatValue<mlir::Attribute>() == NumberAttr(elements.getElementType(), number);
}

// Whether combining the initial value more than once changes nothing.
bool MayRepeat(mlir::Operation* combine, Value init) {
  if (mlir::isa<stablehlo::AddOp>(combine)) return IsSplatOf(init, 0);
  if (mlir::isa<stablehlo::MulOp>(combine)) return IsSplatOf(init, 1);
  return mlir::isa<stablehlo::MaxOp, stablehlo::MinOp, stablehlo::AndOp, stablehlo::OrOp>(combine);
}

std::optional<Cumulative> Find(stablehlo::ReduceWindowOp op) {
  if (op->getNumResults() != 1) return std::nullopt;
  const auto type = mlir::dyn_cast<mlir::RankedTensorType>(op->getOperand(0).getType());
  if (!type || !type.hasStaticShape() || type != op->getResult(0).getType()) return std::nullopt;
  if (!type.getElementType().isIntOrFloat()) return std::nullopt;
  if (!AllAre(op.getWindowStrides(), 1) || !AllAre(op.getBaseDilations(), 1) || !AllAre(op.getWindowDilations(), 1) ||
      !op.getPadding()) {
    return std::nullopt;
  }
  std::optional<int64_t> dimension;
  for (auto [i, size] : llvm::enumerate(op.getWindowDimensions())) {
    if (size == 1) continue;
    if (dimension || size != type.getDimSize(i) || size < kMinPositions) return std::nullopt;
    dimension = static_cast<int64_t>(i);
  }
  if (!dimension) return std::nullopt;
  const auto padding = llvm::to_vector(op.getPadding()->getValues<int64_t>());
  const int64_t before = padding[2 * *dimension], after = padding[2 * *dimension + 1];
  const int64_t others = llvm::count_if(padding, [](int64_t each) { return each != 0; });
  if (others != 1 || before + after != type.getDimSize(*dimension) - 1) return std::nullopt;

  mlir::Operation* combine = SoleOpOfBoth(op->getRegion(0));
  if (combine == nullptr || !MayRepeat(combine, op->getOperand(1))) return std::nullopt;
  return Cumulative{*dimension, after != 0, combine};
}

}  // namespace

void DecomposeCumulative(stablehlo::ReduceWindowOp op) {
  const std::optional<Cumulative> found = Find(op);
  if (!found) return;
  mlir::ImplicitLocOpBuilder b(op.getLoc(), op);
  Hlo h(b);
  const mlir::Type element = ElementOf(op->getResult(0).getType());
  // Sums of narrow floats are rounded once, at the end, as those of other reductions here.
  const bool is_wide = mlir::isa<stablehlo::AddOp>(found->combine) && IsFloat(element);
  const auto widened = [&](Value value) { return is_wide ? h.Convert(value, AccumulatorOf(element)) : value; };
  const auto combined = [&](Value lhs, Value rhs) {
    mlir::OperationState state(b.getLoc(), found->combine->getName(), {lhs, rhs}, {lhs.getType()});
    return b.insert(mlir::Operation::create(state))->getResult(0);
  };

  const Value init = widened(op->getOperand(1));
  const auto shape = llvm::to_vector(StaticShape(op->getOperand(0)));
  const int64_t positions = shape[found->dimension];
  Value result = combined(h.Broadcast(init, shape, {}), widened(op->getOperand(0)));
  for (int64_t distance = 1; distance < positions; distance *= 2) {
    llvm::SmallVector<int64_t> low(shape.size(), 0), high(shape.size(), 0), interior(shape.size(), 0);
    low[found->dimension] = found->from_end ? -distance : distance;
    high[found->dimension] = -low[found->dimension];
    const Value shifted =
        stablehlo::PadOp::create(b, result.getType(), mlir::ValueRange{result, init},
                                 {b.getNamedAttr("edge_padding_low", b.getDenseI64ArrayAttr(low)),
                                  b.getNamedAttr("edge_padding_high", b.getDenseI64ArrayAttr(high)),
                                  b.getNamedAttr("interior_padding", b.getDenseI64ArrayAttr(interior))});
    result = found->from_end ? combined(result, shifted) : combined(shifted, result);
  }
  op->getResult(0).replaceAllUsesWith(is_wide ? h.Convert(result, element) : result);
  op->erase();
}

}  // namespace opbyop::host
