// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-decompose: rewrites sdy ops, CHLO ops that do not work element by element, long cumulative reductions, and case
// as other StableHLO.
//
// A sharding says where the parts of a value are placed; on one device it changes nothing. Operations between devices
// (collectives, manual computations) are rewritten for a single device, or refused with the number of devices that they
// need.
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/TypeUtilities.h>

#include "device/host/decompose_chlo.h"
#include "device/host/decompose_cumulative.h"
#include "device/host/hlo_builder.h"
#include "device/host/passes.h"
#include "device/pipeline/refusal.h"
#include "ir/sdy/sdy.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

class Decompose : public mlir::PassWrapper<Decompose, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Decompose)

  llvm::StringRef getArgument() const final { return "opbyop-decompose"; }
  llvm::StringRef getDescription() const final { return "Write CHLO and sdy ops as StableHLO"; }

  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<stablehlo::StablehloDialect>();
  }

  void runOnOperation() override {
    llvm::SmallVector<mlir::Operation*> ops;
    getOperation().walk([&](mlir::Operation* op) {
      const llvm::StringRef dialect = op->getName().getDialectNamespace();
      if (dialect == "sdy" || dialect == "chlo") ops.push_back(op);
    });
    // Ops inside a region come before the op that has the region. The terminators are still needed then, so they are
    // skipped here.
    for (mlir::Operation* op : ops) {
      if (mlir::isa<sdy::MeshOp, sdy::ReturnOp>(op)) continue;
      const bool done = op->getName().getDialectNamespace() == "sdy" ? Sharding(op) : DecomposeChlo(op);
      if (!done) return signalPassFailure();
    }
    llvm::SmallVector<stablehlo::ReduceWindowOp> windows;
    getOperation().walk([&](stablehlo::ReduceWindowOp op) { windows.push_back(op); });
    for (stablehlo::ReduceWindowOp op : windows) DecomposeCumulative(op);
    llvm::SmallVector<stablehlo::CaseOp> cases;
    getOperation().walk([&](stablehlo::CaseOp op) { cases.push_back(op); });
    for (stablehlo::CaseOp op : cases) {
      mlir::ImplicitLocOpBuilder b(op.getLoc(), op);
      Replace(op, Branches(b, op, 0));
    }
    for (auto mesh : llvm::make_early_inc_range(getOperation().getOps<sdy::MeshOp>())) mesh.erase();
  }

 private:
  static bool Refuse(mlir::Operation* op, const llvm::Twine& why) {
    device::EmitUnsupported(op) << why;
    return false;
  }

  static bool Replace(mlir::Operation* op, mlir::ValueRange values) {
    op->replaceAllUsesWith(values);
    op->erase();
    return true;
  }

  // Replaces the op by its body, if the body's types are those of one device.
  static bool Inline(mlir::Operation* op) {
    mlir::Block& body = op->getRegion(0).front();
    if (body.getArgumentTypes() != op->getOperandTypes()) {
      return Refuse(op, "its body is written for a part of its operands");
    }
    for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), op->getOperands())) {
      argument.replaceAllUsesWith(operand);
    }
    const mlir::OpBuilder b(op);
    return Replace(op, Unwrap(b, body));
  }

  // Moves the ops of the block to where the builder is. Returns what the block returned.
  static llvm::SmallVector<mlir::Value> Unwrap(const mlir::OpBuilder& b, mlir::Block& body) {
    mlir::Operation* terminator = body.getTerminator();
    llvm::SmallVector<mlir::Value> results(terminator->getOperands());
    terminator->erase();
    b.getInsertionBlock()->getOperations().splice(b.getInsertionPoint(), body.getOperations());
    return results;
  }

  // Selects among the branches from number `first` on by nested ifs; returns their results. An index out of range selects
  // the last branch. MLIR has no way for several branches at once: it bufferizes an scf.index_switch as if its results
  // were in memory of their own, and cannot translate one without cases to LLVM IR.
  static llvm::SmallVector<mlir::Value> Branches(mlir::ImplicitLocOpBuilder& b, stablehlo::CaseOp op, unsigned first) {
    if (first + 1 == op->getNumRegions()) return Unwrap(b, op->getRegion(first).front());
    Hlo h(b);
    mlir::Value number = h.Splat({}, mlir::getElementTypeOrSelf(op.getIndex()), first);
    mlir::Value selected = h.Compare(stablehlo::ComparisonDirection::EQ, op.getIndex(), number);
    auto branch = stablehlo::IfOp::create(b, op->getResultTypes(), selected);
    branch->getRegion(0).takeBody(op->getRegion(first));
    auto others = mlir::ImplicitLocOpBuilder::atBlockEnd(op.getLoc(), &branch->getRegion(1).emplaceBlock());
    stablehlo::ReturnOp::create(others, Branches(others, op, first + 1));
    return branch->getResults();
  }

  static bool Sharding(mlir::Operation* op) {
    if (mlir::isa<sdy::ShardingGroupOp>(op)) return Replace(op, {});
    if (mlir::isa<sdy::ShardingConstraintOp, sdy::ReshardOp, sdy::PropagationBarrierOp, sdy::DataFlowEdgeOp,
                  sdy::FuncDataFlowEdgeOp>(op)) {
      return Replace(op, op->getOperands());
    }
    if (auto constant = mlir::dyn_cast<sdy::ConstantOp>(op)) {
      mlir::OpBuilder builder(op);
      return Replace(op, stablehlo::ConstantOp::create(builder, op->getLoc(), constant.getValue())->getResults());
    }
    if (mlir::isa<sdy::NamedComputationOp>(op)) return Inline(op);
    int64_t devices = 1;
    for (sdy::MeshAttr mesh : sdy::MeshesOf(op)) {
      if (!mesh) return Refuse(op, "names a mesh that is not defined");
      int64_t size = mesh.Size();
      if (auto manual = mlir::dyn_cast<sdy::ManualComputationOp>(op)) {
        size = 1;
        for (mlir::StringAttr axis : manual.getManualAxes().getValue()) size *= mesh.AxisSize(axis);
      }
      devices = std::max(devices, size);
    }
    if (devices != 1) {
      return Refuse(op, "it is between " + llvm::Twine(devices) + " devices; the host is one device");
    }
    return mlir::isa<sdy::ManualComputationOp>(op) ? Inline(op) : Replace(op, op->getOperands());
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateDecomposePass() { return std::make_unique<Decompose>(); }

}  // namespace opbyop::host
