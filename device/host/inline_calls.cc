// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-inline-calls: replaces every func.call and stablehlo.composite by a copy of the body that it names.
//
// A composite that stands for a chlo.ragged_dot becomes that op, if its groups are those of all batches: the
// decomposition that JAX writes multiplies all rows once for each group.
//
// Callees in StableHLO programs are single blocks, so inlining is cloning. Afterwards only @main remains.
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/SymbolTable.h>

#include "device/host/passes.h"
#include "device/pipeline/refusal.h"
#include "ir/chlo/chlo.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

namespace func = mlir::func;

class InlineCalls : public mlir::PassWrapper<InlineCalls, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InlineCalls)

  llvm::StringRef getArgument() const final { return "opbyop-inline-calls"; }
  llvm::StringRef getDescription() const final { return "Replace calls and composites by the bodies they name"; }

  void getDependentDialects(mlir::DialectRegistry& registry) const override { registry.insert<chlo::ChloDialect>(); }

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

  // Returns true if the op was a composite that stands for a ragged dot, which it has replaced.
  static bool ReplaceRaggedDot(mlir::Operation* op) {
    auto composite = mlir::dyn_cast<stablehlo::CompositeOp>(op);
    if (!composite || composite.getName() != "chlo.ragged_dot" || op->getNumRegions() != 0) return false;
    const auto numbers = chlo::RaggedNumbersOf(composite.getCompositeAttributes().get(chlo::kRaggedNumbers));
    if (!numbers || numbers->lhs_ragged.size() != 1) return false;
    if (op->getNumOperands() != 3 || op->getNumResults() != 1) return false;
    const auto sizes = mlir::dyn_cast<mlir::RankedTensorType>(op->getOperand(2).getType());
    if (!sizes || sizes.getRank() != 1) return false;
    mlir::OpBuilder builder(op);
    const auto attribute = chlo::RaggedDotDimensionNumbersAttr::get(
        op->getContext(), numbers->lhs_batching, numbers->rhs_batching, numbers->lhs_contracting,
        numbers->rhs_contracting, numbers->lhs_ragged, numbers->rhs_group);
    auto product = chlo::RaggedDotOp::create(builder, op->getLoc(), op->getResultTypes(), op->getOperands(),
                                             builder.getNamedAttr(chlo::kRaggedNumbers, attribute));
    op->replaceAllUsesWith(product);
    op->erase();
    return true;
  }

  // `path` holds the functions whose bodies are being inlined; a callee that is among them is recursive.
  mlir::LogicalResult Inline(mlir::Region& region, mlir::SymbolTable& symbols,
                             llvm::SmallVectorImpl<llvm::StringRef>& path) {
    llvm::SmallVector<mlir::Operation*> calls;
    region.walk([&](mlir::Operation* op) {
      if (!CalleeOf(op).empty()) calls.push_back(op);
    });
    for (mlir::Operation* call : calls) {
      if (ReplaceRaggedDot(call)) continue;
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
