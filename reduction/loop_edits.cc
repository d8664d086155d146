// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Edits of loops: the body in place of the loop, and fewer values to carry.
#include <fmt/format.h>

#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/IRMapping.h"
#include "reduction/edit.h"

namespace opbyop::reduction {
namespace {

// The value keeps what it had before the loop: in the condition, in the body and after the loop.
bool StopCarrying(Program& program, size_t index, unsigned value) {
  auto loop = mlir::dyn_cast<stablehlo::WhileOp>(OpsOf(program)[index]);
  if (!loop) return false;
  const mlir::Value initial = loop->getOperand(value);
  for (mlir::Region& region : loop->getRegions()) {
    mlir::Block& block = region.front();
    if (block.getArgument(value).getType() != initial.getType()) return false;
    block.getArgument(value).replaceAllUsesWith(initial);
    block.eraseArgument(value);
  }
  loop.getBody().front().getTerminator()->eraseOperand(value);
  loop->eraseOperand(value);

  mlir::OpBuilder builder(loop);
  mlir::OperationState state(loop->getLoc(), loop->getName());
  state.addOperands(loop->getOperands());
  state.addTypes(llvm::SmallVector<mlir::Type>(loop->getOperandTypes()));
  state.addAttributes(loop->getAttrs());
  for (mlir::Region& region : loop->getRegions()) state.addRegion()->takeBody(region);
  mlir::Operation* shorter = builder.create(state);
  unsigned kept = 0;
  for (mlir::OpResult result : loop->getResults()) {
    const bool is_dropped = result.getResultNumber() == value;
    result.replaceAllUsesWith(is_dropped ? initial : shorter->getResult(kept++));
  }
  loop.erase();
  UpdateSignature(program);
  return true;
}

// One trip in place of the loop, whatever its condition says.
bool PutBodyInPlace(Program& program, size_t index) {
  auto loop = mlir::dyn_cast<stablehlo::WhileOp>(OpsOf(program)[index]);
  if (!loop) return false;
  mlir::Block& body = loop.getBody().front();
  if (!llvm::equal(body.getTerminator()->getOperandTypes(), loop->getResultTypes())) return false;
  mlir::OpBuilder builder(loop);
  mlir::IRMapping mapping;
  mapping.map(body.getArguments(), loop->getOperands());
  for (mlir::Operation& op : body.without_terminator()) builder.clone(op, mapping);
  for (auto [result, last] : llvm::zip(loop->getResults(), body.getTerminator()->getOperands())) {
    result.replaceAllUsesWith(mapping.lookupOrDefault(last));
  }
  loop.erase();
  UpdateSignature(program);
  return true;
}

// Whether a trip gives the condition other values than the trip before.
bool MayEnd(stablehlo::WhileOp loop) {
  mlir::Block& body = loop.getBody().front();
  mlir::Operation* next = body.getTerminator();
  return llvm::any_of(loop.getCond().front().getArguments(), [&](mlir::BlockArgument argument) {
    const unsigned value = argument.getArgNumber();
    return !argument.use_empty() && next->getOperand(value) != body.getArgument(value);
  });
}

}  // namespace

bool LoopsMayEnd(const Program& program) {
  return llvm::all_of(OpsOf(program), [](mlir::Operation* op) {
    auto loop = mlir::dyn_cast<stablehlo::WhileOp>(op);
    return !loop || MayEnd(loop);
  });
}

Edits LoopEdits(const Program& program) {
  Edits edits;
  for (const auto& [i, op] : llvm::enumerate(OpsOf(program))) {
    const bool in_main = op->getParentOfType<mlir::func::FuncOp>() == program.main();
    if (!in_main || !mlir::isa<stablehlo::WhileOp>(op)) continue;
    edits.push_back({"the body of a loop in its place",
                     [index = i](Program& candidate) { return PutBodyInPlace(candidate, index); }});
    for (unsigned value = 0; op->getNumOperands() > 1 && value < op->getNumOperands(); ++value) {
      edits.push_back({fmt::format("a loop without its value {}", value),
                       [index = i, value](Program& candidate) { return StopCarrying(candidate, index, value); }});
    }
  }
  return edits;
}

}  // namespace opbyop::reduction
