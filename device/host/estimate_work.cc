// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-estimate-work: counts the loop iterations of one call of a function, so that optimizing code for a hundred
// elements does not take longer than running it.
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Interfaces/LoopLikeInterface.h>

#include "device/host/passes.h"

namespace opbyop::host {
namespace {

// The number of iterations assumed for a loop whose count is unknown.
constexpr int64_t kUnknownRounds = 1000;

int64_t Saturating(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

class EstimateWork : public mlir::PassWrapper<EstimateWork, mlir::OperationPass<mlir::func::FuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EstimateWork)

  llvm::StringRef getArgument() const final { return "opbyop-estimate-work"; }
  llvm::StringRef getDescription() const final { return "Note how many loop iterations a function takes"; }

  void runOnOperation() override {
    mlir::Builder builder(&getContext());
    getOperation()->setAttr(kWorkAttribute, builder.getI64IntegerAttr(WorkOf(getOperation().getBody())));
  }

 private:
  static int64_t WorkOf(mlir::Region& region) {
    int64_t work = 0;
    for (mlir::Operation& op : region.getOps()) {
      int64_t each = 0;
      if (auto structured = mlir::dyn_cast<mlir::linalg::LinalgOp>(op)) {
        each = 1;
        for (const int64_t range : structured.getStaticLoopRanges()) {
          each = Saturating(each, mlir::ShapedType::isDynamic(range) ? kUnknownRounds : range);
        }
      } else {
        for (mlir::Region& nested : op.getRegions()) each += WorkOf(nested) + 1;
        if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) {
          const auto rounds = loop.getStaticTripCount();
          each = Saturating(each, rounds ? rounds->getSExtValue() : kUnknownRounds);
        } else if (mlir::isa<mlir::LoopLikeOpInterface>(op)) {
          each = Saturating(each, kUnknownRounds);
        }
      }
      if (__builtin_add_overflow(work, each, &work)) return INT64_MAX;
    }
    return work;
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateEstimateWorkPass() { return std::make_unique<EstimateWork>(); }

}  // namespace opbyop::host
