// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-entry-point: wraps the lowered @main, whose arguments are plain pointers, in `void opbyop_entry(void**
// buffers)`. Buffers never overlap; the arguments of @main are marked accordingly.
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/IR/ImplicitLocOpBuilder.h>

#include "device/host/passes.h"

namespace opbyop::host {
namespace {

namespace LLVM = mlir::LLVM;

class EntryPoint : public mlir::PassWrapper<EntryPoint, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EntryPoint)

  EntryPoint() = default;
  EntryPoint(const EntryPoint& other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const final { return "opbyop-entry-point"; }
  llvm::StringRef getDescription() const final { return "Add the host's entry point around @main"; }

  void getDependentDialects(mlir::DialectRegistry& registry) const override { registry.insert<LLVM::LLVMDialect>(); }

  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    auto main = module.lookupSymbol<LLVM::LLVMFuncOp>("main");
    if (!main) {
      module.emitError("expected @main as a function of the LLVM dialect; the stages before left none");
      return signalPassFailure();
    }
    mlir::MLIRContext* context = &getContext();
    mlir::Type pointer = LLVM::LLVMPointerType::get(context);
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      if (main.getArgument(i).getType() != pointer) {
        main.emitError() << "argument " << i << " of @main is no pointer but " << main.getArgument(i).getType();
        return signalPassFailure();
      }
      main.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), mlir::UnitAttr::get(context));
    }
    main.setLinkage(LLVM::Linkage::Internal);
    main.setNoUnwind(true);
    if (auto work = main->getAttrOfType<mlir::IntegerAttr>(kWorkAttribute); work && work.getInt() < optimize_from_) {
      main.setOptimizeNone(true);
      main.setNoInline(true);
    }

    mlir::ImplicitLocOpBuilder b(main.getLoc(), context);
    b.setInsertionPointToEnd(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {pointer});
    auto entry = LLVM::LLVMFuncOp::create(b, kEntryName, type);
    entry.setNoUnwind(true);
    b.setInsertionPointToStart(entry.addEntryBlock(b));
    llvm::SmallVector<mlir::Value> arguments;
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      mlir::Value slot =
          LLVM::GEPOp::create(b, pointer, pointer, entry.getArgument(0), LLVM::GEPArg(static_cast<int32_t>(i)));
      arguments.push_back(LLVM::LoadOp::create(b, pointer, slot));
    }
    LLVM::CallOp::create(b, main, arguments);
    LLVM::ReturnOp::create(b, mlir::ValueRange());
  }

 private:
  Option<int64_t> optimize_from_{*this, "optimize-from", llvm::cl::init(0),
                                 llvm::cl::desc("Iterations from which generated code is worth optimizing")};
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateEntryPointPass() { return std::make_unique<EntryPoint>(); }

}  // namespace opbyop::host
