// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-distinct-results: gives each result of a function a buffer of its own, where two results are the same buffer.
//
// buffer-results-to-out-params has a result written to the caller's memory instead of to the buffer that is returned.
// It fails on a buffer that is returned twice.
#include <llvm/ADT/SmallPtrSet.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>

#include "device/host/passes.h"

namespace opbyop::host {
namespace {

class DistinctResults : public mlir::PassWrapper<DistinctResults, mlir::OperationPass<mlir::func::FuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DistinctResults)

  llvm::StringRef getArgument() const final { return "opbyop-distinct-results"; }
  llvm::StringRef getDescription() const final { return "Return no buffer twice"; }

  void runOnOperation() override {
    getOperation().walk([](mlir::func::ReturnOp end) {
      llvm::SmallPtrSet<mlir::Value, 4> returned;
      mlir::OpBuilder builder(end);
      for (mlir::OpOperand& operand : end->getOpOperands()) {
        auto type = mlir::dyn_cast<mlir::MemRefType>(operand.get().getType());
        if (returned.insert(operand.get()).second || !type || !type.hasStaticShape()) continue;
        mlir::Value own = mlir::memref::AllocOp::create(builder, end.getLoc(), type);
        mlir::memref::CopyOp::create(builder, end.getLoc(), operand.get(), own);
        operand.set(own);
      }
    });
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateDistinctResultsPass() { return std::make_unique<DistinctResults>(); }

}  // namespace opbyop::host
