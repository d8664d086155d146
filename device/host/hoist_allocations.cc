// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-hoist-allocations: buffers of static size that a loop allocates in every trip are allocated once, before it.
//
// The heap of generated code takes back nothing before the call ends (arena.h), so a buffer per trip is a buffer per
// trip for ever. No allocation leaves its trip: one-shot bufferization accepts only loops that hand on the buffers that
// they carry. MLIR's buffer-loop-hoisting leaves scf.while as it is.
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

#include "device/host/passes.h"

namespace opbyop::host {
namespace {

// The outermost loop around an op whose trips come one after another; null where there is none. A loop whose trips run
// side by side needs its buffers apart.
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
