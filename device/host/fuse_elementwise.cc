// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-fuse-elementwise: fuses elementwise ops into one loop nest if nothing is computed twice.
//
// MLIR's own pass fuses a producer into any op that uses it once in the text. An activation that is the operand of a
// matrix product would then be computed again for every row or column of the other operand, and the exponentials of a
// softmax for every element that they are broadcast to. This pass fuses a producer into its consumer only if the
// consumer reads each element once, or if the producer only moves data.
#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

#include "device/host/passes.h"

namespace opbyop::host {
namespace {

namespace linalg = mlir::linalg;

bool HasOneUse(mlir::OpOperand* operand) {
  mlir::Operation* producer = operand->get().getDefiningOp();
  return producer != nullptr && producer->hasOneUse();
}

bool OnlyMovesData(linalg::LinalgOp op) { return op.getBlock()->getOperations().size() == 1; }

bool ComputesNothingTwice(mlir::OpOperand* operand) {
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  auto reader = mlir::dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!producer || !reader || !producer->hasOneUse()) return false;
  return OnlyMovesData(producer) || reader.getMatchingIndexingMap(operand).isPermutation();
}

class FuseElementwise : public mlir::PassWrapper<FuseElementwise, mlir::OperationPass<mlir::func::FuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseElementwise)

  llvm::StringRef getArgument() const final { return "opbyop-fuse-elementwise"; }
  llvm::StringRef getDescription() const final { return "Fuse elementwise ops where nothing is computed twice"; }

  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<mlir::affine::AffineDialect, linalg::LinalgDialect, mlir::tensor::TensorDialect>();
  }

  void runOnOperation() override {
    mlir::MLIRContext* context = &getContext();
    mlir::RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, &ComputesNothingTwice);
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, &HasOneUse);
    linalg::populateConstantFoldLinalgOperations(patterns, &HasOneUse);
    mlir::affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    mlir::tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    mlir::tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    context->getLoadedDialect<linalg::LinalgDialect>()->getCanonicalizationPatterns(patterns);
    if (mlir::failed(mlir::applyPatternsGreedily(getOperation(), std::move(patterns),
                                                 mlir::GreedyRewriteConfig().setUseTopDownTraversal()))) {
      signalPassFailure();
    }
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateFuseElementwisePass() { return std::make_unique<FuseElementwise>(); }

}  // namespace opbyop::host
