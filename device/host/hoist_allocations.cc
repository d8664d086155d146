// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-hoist-allocations: allocates the buffers of static size that a loop would allocate in every iteration once,
// before the loop.
//
// The heap of generated code frees nothing before the call ends (arena.h), so memory would grow with every iteration.
// No buffer outlives its iteration: one-shot bufferization accepts only loops that yield the buffers that they carry.
// MLIR's buffer-loop-hoisting does not handle scf.while.
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

#include "device/host/passes.h"

namespace opbyop::host {
namespace {

// The outermost loop around an op whose iterations run one after another, or null if there is none. A loop whose
// iterations may run in parallel needs separate buffers.
mlir::Operation* OutermostLoop(mlir::Operation* op) {
  mlir::Operation* outermost = nullptr;
  for (mlir::Operation* parent = op->getParentOp(); parent != nullptr; parent = parent->getParentOp()) {
    if (mlir::isa<mlir::func::FuncOp, mlir::scf::ParallelOp, mlir::scf::ForallOp>(parent)) break;
    if (mlir::isa<mlir::scf::WhileOp, mlir::scf::ForOp>(parent)) outermost = parent;
  }
  return outermost;
}

class HoistAllocations : public mlir::PassWrapper<HoistAllocations, mlir::OperationPass<mlir::func::FuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HoistAllocations)

  llvm::StringRef getArgument() const final { return "opbyop-hoist-allocations"; }
  llvm::StringRef getDescription() const final { return "Allocate the buffers of a loop before it"; }

  void runOnOperation() override {
    llvm::SmallVector<mlir::memref::AllocOp> allocations;
    getOperation().walk([&](mlir::memref::AllocOp allocation) {
      if (allocation->getNumOperands() == 0) allocations.push_back(allocation);
    });
    for (mlir::memref::AllocOp allocation : allocations) {
      if (mlir::Operation* loop = OutermostLoop(allocation)) allocation->moveBefore(loop);
    }
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateHoistAllocationsPass() { return std::make_unique<HoistAllocations>(); }

}  // namespace opbyop::host
