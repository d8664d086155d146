// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Faults that no op shows alone: of two ops that are computed together, and of a loop from its second trip on.
#include "ir/stablehlo/stablehlo.h"
#include "validation/fault_injection/fault.h"

namespace opbyop::fault_injection {
namespace {

using reference::Tensor;
using reference::Value;
using reference::Values;

// A transpose is computed together with the product that it feeds if nothing else needs its result.
bool IsFusedTranspose(mlir::Value operand) {
  return operand.getDefiningOp<stablehlo::TransposeOp>() != nullptr && operand.hasOneUse();
}

Expected<Values> HalvesFusedOperands(FaultyOp& faulty) {
  for (const auto& [i, operand] : llvm::enumerate(faulty.op()->getOperands())) {
    if (IsFusedTranspose(operand)) faulty.EachOf(i, [](double v) { return v / 2; });
  }
  return faulty.Right();
}

Expected<Values> StartsOneEarly(FaultyOp& faulty) {
  for (size_t i = 1; i < faulty.size(); ++i) {
    Tensor& start = faulty.in(i);
    EachInteger(start, [](int64_t v) { return v == 1 ? 0 : v; });
  }
  return faulty.Right();
}

// Runs the loop, and halves what it carries after the second trip of this run.
Expected<Values> HalvesAfterSecondTrip(FaultyOp& faulty) {
  reference::OpContext& context = faulty.context();
  auto loop = mlir::cast<stablehlo::WhileOp>(faulty.op());
  Values carried = context.operands;
  for (int64_t trip = 1;; ++trip) {
    const Expected<Values> condition = context.evaluator.Run(loop.getCond(), carried, context.scope);
    if (!condition) return Unexpected(condition.error());
    if ((*condition)[0].tensor().data<uint8_t>()[0] == 0) return carried;
    Expected<Values> next = context.evaluator.Run(loop.getBody(), std::move(carried), context.scope);
    if (!next) return Unexpected(next.error());
    carried = std::move(*next);
    if (trip != 2) continue;
    for (Value& value : carried) {
      if (!value.is_tensor()) continue;
      EachReal(value.tensor(), [](double v) { return v / 2; });
    }
  }
}

}  // namespace

const std::vector<Fault>& ProgramFaults() {
  static const std::vector<Fault> faults = [] {
    std::vector<Fault> list;
    const OpFaults op(list);
    op("fused_transpose", "a product halves an operand that a transpose computes for it alone", "stablehlo.dot_general",
       &HalvesFusedOperands);
    op("slice_at_one", "a dynamic slice that starts at 1 starts at 0", "stablehlo.dynamic_slice", &StartsOneEarly);
    op("second_trip", "a loop halves what it carries after its second trip", "stablehlo.while", &HalvesAfterSecondTrip);
    return list;
  }();
  return faults;
}

}  // namespace opbyop::fault_injection
