// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-inline-calls: replaces every func.call and stablehlo.composite by a copy of the body that it names.
//
// Callees in StableHLO programs are single blocks, so inlining is cloning. Afterwards only @main remains.
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/SymbolTable.h>

#include "device/host/passes.h"
#include "device/pipeline/refusal.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

namespace func = mlir::func;

class InlineCalls : public mlir::PassWrapper<InlineCalls, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InlineCalls)

  llvm::StringRef getArgument() const final { return "opbyop-inline-calls"; }
  llvm::StringRef getDescription() const final { return "Replace calls and composites by the bodies they name"; }

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    auto main = symbols.lookup<func::FuncOp>("main");
    if (!main) {
      getOperation().emitError("expected a function @main; the module has none");
      return signalPassFailure();
    }
    llvm::SmallVector<llvm::StringRef> path = {"main"};
    if (mlir::failed(Inline(main.getBody(), symbols, path))) return signalPassFailure();
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (function != main) function.erase();
    }
  }

 private:
  static llvm::StringRef CalleeOf(mlir::Operation* op) {
    if (auto call = mlir::dyn_cast<func::CallOp>(op)) return call.getCallee();
    if (auto composite = mlir::dyn_cast<stablehlo::CompositeOp>(op)) return composite.getDecomposition();
    return {};
  }

  // `path` holds the functions whose bodies are being inlined; a callee that is among them is recursive.
  mlir::LogicalResult Inline(mlir::Region& region, mlir::SymbolTable& symbols,
                             llvm::SmallVectorImpl<llvm::StringRef>& path) {
    llvm::SmallVector<mlir::Operation*> calls;
    region.walk([&](mlir::Operation* op) {
      if (!CalleeOf(op).empty()) calls.push_back(op);
    });
    for (mlir::Operation* call : calls) {
      const llvm::StringRef name = CalleeOf(call);
      auto callee = symbols.lookup<func::FuncOp>(name);
      if (!callee || callee.isExternal()) return call->emitError() << "calls @" << name << ", which has no body";
      if (llvm::is_contained(path, name)) {
        return call->emitError() << device::kUnsupportedPrefix << "@" << name
                                 << " calls itself; the host inlines all calls";
      }
      if (!callee.getBody().hasOneBlock()) {
        return call->emitError() << device::kUnsupportedPrefix << "@" << name << " has several blocks";
      }
      path.push_back(name);
      if (mlir::failed(Splice(call, callee, symbols, path))) return mlir::failure();
      path.pop_back();
    }
    return mlir::success();
  }

  mlir::LogicalResult Splice(mlir::Operation* call, func::FuncOp callee, mlir::SymbolTable& symbols,
                             llvm::SmallVectorImpl<llvm::StringRef>& path) {
    mlir::Block& body = callee.getBody().front();
    if (body.getNumArguments() != call->getNumOperands()) {
      return call->emitError() << "passes " << call->getNumOperands() << " operands to @" << callee.getSymName()
                               << ", which takes " << body.getNumArguments();
    }
    // Calls inside the copy are inlined in a region of their own; then its ops are moved in front of the call.
    mlir::Region copy;
    mlir::IRMapping mapping;
    callee.getBody().cloneInto(&copy, mapping);
    if (mlir::failed(Inline(copy, symbols, path))) return mlir::failure();
    mlir::Block& block = copy.front();
    for (auto [argument, operand] : llvm::zip_equal(block.getArguments(), call->getOperands())) {
      argument.replaceAllUsesWith(operand);
    }
    mlir::Operation* terminator = block.getTerminator();
    call->replaceAllUsesWith(terminator->getOperands());
    terminator->erase();
    call->getBlock()->getOperations().splice(call->getIterator(), block.getOperations());
    call->erase();
    return mlir::success();
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateInlineCallsPass() { return std::make_unique<InlineCalls>(); }

}  // namespace opbyop::host
