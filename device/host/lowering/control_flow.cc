// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lowers while and if to scf ops; the same patterns as for all other ops convert their regions.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

#include "device/host/lowering/loops.h"
#include "device/host/lowering/pattern.h"
#include "device/host/lowering/scalar.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

// Whether a value that a loop's body returns in position `index` may share memory with another value that the loop
// carries, because it is that value or a part of it.
bool MayShareMemory(Value value, unsigned index) {
  bool whole = true;
  while (mlir::Operation* op = value.getDefiningOp()) {
    if (mlir::isa<stablehlo::WhileOp, stablehlo::IfOp>(op)) return true;
    // Bufferization refuses to put the result of an scf.for into the buffer that it starts with.
    if (mlir::isa<stablehlo::ScatterOp>(op)) return true;
    if (mlir::isa<stablehlo::OptimizationBarrierOp, stablehlo::AllReduceOp, stablehlo::AllGatherOp,
                  stablehlo::AllToAllOp, stablehlo::CollectiveBroadcastOp, stablehlo::CollectiveReduceOp>(op)) {
      value = op->getOperand(mlir::cast<mlir::OpResult>(value).getResultNumber());
    } else if (mlir::isa<stablehlo::DynamicUpdateSliceOp, stablehlo::ReshapeOp, stablehlo::DynamicReshapeOp,
                         stablehlo::CustomCallOp, stablehlo::CollectivePermuteOp, stablehlo::ReduceScatterOp,
                         stablehlo::CrossReplicaSumOp>(op) &&
               op->getNumOperands() != 0) {
      value = op->getOperand(0);
    } else if (mlir::isa<stablehlo::SliceOp, stablehlo::DynamicSliceOp>(op)) {
      whole = false;
      value = op->getOperand(0);
    } else {
      return false;
    }
  }
  return !whole || mlir::cast<mlir::BlockArgument>(value).getArgNumber() != index;
}

// Lowers to scf.condition in the condition of a while, to scf.yield elsewhere.
class ReturnPattern : public HostPattern<stablehlo::ReturnOp> {
 public:
  using HostPattern::HostPattern;

  mlir::LogicalResult matchAndRewrite(stablehlo::ReturnOp op, OpAdaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    mlir::Operation* parent = op->getParentOp();
    if (auto loop = mlir::dyn_cast<scf::WhileOp>(parent); loop && op->getParentRegion() == &loop.getBefore()) {
      mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
      Value condition = ScalarOf(b, adaptor.getOperands()[0]);
      rewriter.replaceOpWithNewOp<scf::ConditionOp>(op, condition, loop.getBefore().front().getArguments());
      return mlir::success();
    }
    if (!mlir::isa<scf::WhileOp, scf::IfOp>(parent)) return mlir::failure();
    ValueList values(adaptor.getOperands());
    if (auto loop = mlir::dyn_cast<scf::WhileOp>(parent)) {
      // The next iteration finds its values in the buffers of this one, so a loop runs in constant memory. Values that
      // would be overwritten before they are read are copied first.
      for (auto [index, value] : llvm::enumerate(values)) {
        if (!MayShareMemory(op->getOperand(static_cast<unsigned>(index)), static_cast<unsigned>(index))) continue;
        value = mlir::bufferization::AllocTensorOp::create(
            rewriter, op.getLoc(), mlir::cast<mlir::RankedTensorType>(value.getType()), ValueRange(), value);
      }
      for (auto [value, argument] : llvm::zip_equal(values, loop.getAfter().front().getArguments())) {
        value = mlir::bufferization::MaterializeInDestinationOp::create(rewriter, op.getLoc(), value.getType(), value,
                                                                        argument)
                    .getResult();
      }
    }
    rewriter.replaceOpWithNewOp<scf::YieldOp>(op, values);
    return mlir::success();
  }
};

class WhilePattern : public HostPattern<stablehlo::WhileOp> {
 public:
  using HostPattern::HostPattern;

  mlir::LogicalResult matchAndRewrite(stablehlo::WhileOp op, OpAdaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    llvm::SmallVector<mlir::Type> types;
    if (mlir::failed(getTypeConverter()->convertTypes(op->getResultTypes(), types))) {
      return Refuse(op, "it carries a value that is no static tensor");
    }
    auto loop = scf::WhileOp::create(rewriter, op.getLoc(), types, adaptor.getOperands());
    rewriter.inlineRegionBefore(op->getRegion(0), loop.getBefore(), loop.getBefore().end());
    rewriter.inlineRegionBefore(op->getRegion(1), loop.getAfter(), loop.getAfter().end());
    for (mlir::Region* region : {&loop.getBefore(), &loop.getAfter()}) {
      if (mlir::failed(rewriter.convertRegionTypes(region, *getTypeConverter()))) return mlir::failure();
    }
    rewriter.replaceOp(op, loop.getResults());
    return mlir::success();
  }
};

class IfPattern : public HostPattern<stablehlo::IfOp> {
 public:
  using HostPattern::HostPattern;

  mlir::LogicalResult matchAndRewrite(stablehlo::IfOp op, OpAdaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    llvm::SmallVector<mlir::Type> types;
    if (mlir::failed(getTypeConverter()->convertTypes(op->getResultTypes(), types))) {
      return Refuse(op, "a branch returns a value that is no static tensor");
    }
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto branch = scf::IfOp::create(b, types, ScalarOf(b, adaptor.getPred()), /*addThenBlock=*/false,
                                    /*addElseBlock=*/false);
    rewriter.inlineRegionBefore(op->getRegion(0), branch.getThenRegion(), branch.getThenRegion().end());
    rewriter.inlineRegionBefore(op->getRegion(1), branch.getElseRegion(), branch.getElseRegion().end());
    rewriter.replaceOp(op, branch.getResults());
    return mlir::success();
  }
};

}  // namespace

void PopulateControlFlow(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals) {
  patterns.add<ReturnPattern, WhilePattern, IfPattern>(types, patterns.getContext(), refusals);
}

}  // namespace opbyop::host
