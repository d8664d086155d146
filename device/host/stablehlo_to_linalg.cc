// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-stablehlo-to-linalg: runs all pattern families of lowering/ in one conversion. Ops that remain are refused
// with the reason that their pattern gave.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Complex/IR/Complex.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Func/Transforms/FuncConversions.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include "device/host/lowering/pattern.h"
#include "device/host/passes.h"
#include "device/pipeline/refusal.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

namespace func = mlir::func;

class StablehloToLinalg : public mlir::PassWrapper<StablehloToLinalg, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StablehloToLinalg)
  StablehloToLinalg() = default;
  StablehloToLinalg(const StablehloToLinalg& other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const final { return "opbyop-stablehlo-to-linalg"; }
  llvm::StringRef getDescription() const final { return "Lower StableHLO of static shapes to linalg on tensors"; }

  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<mlir::arith::ArithDialect, mlir::bufferization::BufferizationDialect, mlir::complex::ComplexDialect,
                    func::FuncDialect, mlir::linalg::LinalgDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                    mlir::tensor::TensorDialect, mlir::LLVM::LLVMDialect, mlir::memref::MemRefDialect>();
  }

  // The patterns are created once and serve every module that the pass runs on.
  mlir::LogicalResult initialize(mlir::MLIRContext* context) override {
    types_ = std::make_shared<HostTypes>();
    refusals_ = std::make_shared<Refusals>();
    mlir::RewritePatternSet patterns(context);
    for (auto populate : {&PopulateElementwise, &PopulateDataMovement, &PopulateIndexing, &PopulateReductions,
                          &PopulateContractions, &PopulateControlFlow, &PopulateNormalization, &PopulateSort,
                          &PopulateDynamic, &PopulateEinsum, &PopulateFourier, &PopulateLinearAlgebra, &PopulateRandom,
                          &PopulateSelectAndScatter, &PopulateSingleProcess, &PopulateExchanges}) {
      populate(*types_, patterns, refusals_.get());
    }
    mlir::populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, *types_);
    mlir::populateReturnOpTypeConversionPattern(patterns, *types_);
    patterns_ = mlir::FrozenRewritePatternSet(std::move(patterns));
    return mlir::success();
  }

  void runOnOperation() override {
    refusals_->clear();
    mlir::ConversionTarget target(getContext());
    // A token that is still there belongs to an op that will be refused.
    target.markUnknownOpDynamicallyLegal([](mlir::Operation* op) {
      return !IsHlo(op) || mlir::isa<stablehlo::CreateTokenOp, stablehlo::AfterAllOp>(op);
    });
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
      return types_->isSignatureLegal(op.getFunctionType()) && types_->isLegal(&op.getBody());
    });
    target.addDynamicallyLegalOp<func::ReturnOp>(
        [&](func::ReturnOp op) { return types_->isLegal(op.getOperandTypes()); });
    if (Refused()) return signalPassFailure();
    // Replaces the conversion's own "failed to legalize" by the reason; other diagnostics are passed on.
    std::string leftover;
    mlir::LogicalResult converted = mlir::success();
    {
      mlir::ScopedDiagnosticHandler handler(&getContext(), [&](mlir::Diagnostic& diagnostic) {
        if (leftover.empty()) leftover = diagnostic.str();
        return mlir::success();
      });
      converted = mlir::applyFullConversion(getOperation(), target, patterns_);
    }
    if (mlir::succeeded(converted)) return ProtectInputs();
    if (!ExplainFailure()) getOperation().emitError(leftover);
    signalPassFailure();
  }

 private:
  static bool IsHlo(mlir::Operation* op) {
    const llvm::StringRef dialect = op->getName().getDialectNamespace();
    return dialect == "stablehlo" || dialect == "chlo" || dialect == "sdy" || dialect == "check";
  }

  // A case may run many times on the same inputs, so no result may be computed in their buffers.
  void ProtectInputs() {
    mlir::Builder builder(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        function.setArgAttr(i, mlir::bufferization::BufferizationDialect::kWritableAttrName,
                            builder.getBoolAttr(false));
      }
    }
  }

  // Reports types of @main that cannot be lowered before any pattern fails because of them.
  bool Refused() {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      const mlir::FunctionType type = function.getFunctionType();
      for (mlir::Type each : llvm::concat<const mlir::Type>(type.getInputs(), type.getResults())) {
        if (types_->convertType(each)) continue;
        function.emitError() << device::kUnsupportedPrefix << "@" << function.getSymName() << ": "
                             << WhyNotLowerable(each);
        return true;
      }
    }
    return false;
  }

  // Runs after the rollback: reports the first op with a recorded reason, else the first op that has no pattern.
  bool ExplainFailure() {
    mlir::Operation* unexplained = nullptr;
    const auto result = getOperation().walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
      if (!IsHlo(op)) return mlir::WalkResult::advance();
      const auto reason = refusals_->find(op);
      if (reason != refusals_->end()) {
        device::EmitUnsupported(op) << reason->second;
        return mlir::WalkResult::interrupt();
      }
      if (!unexplained && !HasPattern(op) && !mlir::isa<stablehlo::ReturnOp>(op)) unexplained = op;
      return mlir::WalkResult::advance();
    });
    if (result.wasInterrupted()) return true;
    if (!unexplained) return false;
    unexplained->emitError() << device::kUnsupportedPrefix << "'" << unexplained->getName()
                             << "' has no lowering on the host";
    return true;
  }

  bool HasPattern(mlir::Operation* op) const { return patterns_.getOpSpecificNativePatterns().contains(op->getName()); }

  std::shared_ptr<HostTypes> types_;
  std::shared_ptr<Refusals> refusals_;
  mlir::FrozenRewritePatternSet patterns_;
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateStablehloToLinalgPass() { return std::make_unique<StablehloToLinalg>(); }

}  // namespace opbyop::host
