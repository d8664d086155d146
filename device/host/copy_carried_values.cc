// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-copy-carried-values: has the bodies of loops read copies of the values that they carry, in modules that
// one-shot-bufferize refuses without such copies.
//
// A loop writes the values of the next iteration into the buffers of this one. One-shot-bufferize refuses the loop where
// it cannot exclude that a value is read after it was overwritten: where a returned value is one of those carried in
// another guise, for example as the result of an `if`. A copy that the body makes at its beginning is read in their
// place.
#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h>
#include <mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/Diagnostics.h>

#include "device/host/passes.h"

namespace opbyop::host {
namespace {

namespace bufferization = mlir::bufferization;
namespace scf = mlir::scf;

// Whether one-shot-bufferize accepts the module, with the options that the pipeline of the host target gives it.
bool IsBufferizable(mlir::ModuleOp module) {
  bufferization::OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.setFunctionBoundaryTypeConversion(bufferization::LayoutMapOption::IdentityLayoutMap);
  bufferization::OneShotAnalysisState state(module, options);
  const mlir::ScopedDiagnosticHandler silent(module.getContext(), [](mlir::Diagnostic&) {});
  return mlir::succeeded(bufferization::analyzeModuleOp(module, state));
}

class CopyCarriedValues : public mlir::PassWrapper<CopyCarriedValues, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CopyCarriedValues)

  llvm::StringRef getArgument() const final { return "opbyop-copy-carried-values"; }
  llvm::StringRef getDescription() const final {
    return "Copy the values that loops carry where they could not be bufferized otherwise";
  }

  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<bufferization::BufferizationDialect>();
  }

  void runOnOperation() override {
    llvm::SmallVector<scf::WhileOp> loops;
    getOperation().walk([&](scf::WhileOp loop) { loops.push_back(loop); });
    if (loops.empty() || IsBufferizable(getOperation())) return;
    for (scf::WhileOp loop : loops) {
      for (mlir::BlockArgument carried : loop.getAfterArguments()) ReadCopyOf(carried);
    }
  }

 private:
  // A value that stays the same is returned as it is. Other uses read the copy, except for the one that writes.
  static void ReadCopyOf(mlir::BlockArgument carried) {
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(carried.getType());
    const auto reads = [&](mlir::OpOperand& use) {
      auto write = mlir::dyn_cast<bufferization::MaterializeInDestinationOp>(use.getOwner());
      return !write || write.getDest() != carried;
    };
    if (!type || llvm::none_of(carried.getUses(), reads)) return;
    auto builder = mlir::OpBuilder::atBlockBegin(carried.getOwner());
    mlir::Value copy =
        bufferization::AllocTensorOp::create(builder, carried.getLoc(), type, mlir::ValueRange(), carried);
    carried.replaceUsesWithIf(
        copy, [&](mlir::OpOperand& use) { return use.getOwner() != copy.getDefiningOp() && reads(use); });
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateCopyCarriedValuesPass() { return std::make_unique<CopyCarriedValues>(); }

}  // namespace opbyop::host
