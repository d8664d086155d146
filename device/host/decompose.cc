// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-decompose: rewrites sdy ops, CHLO ops that do not work element by element, and long cumulative reductions as
// StableHLO.
//
// A sharding says where the parts of a value are placed; on one device it changes nothing. Operations between devices
// (collectives, manual computations) are rewritten for a single device, or refused with the number of devices that they
// need.
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/TypeUtilities.h>

#include "device/host/decompose_chlo.h"
#include "device/host/decompose_cumulative.h"
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
    mlir::Operation* terminator = body.getTerminator();
    const llvm::SmallVector<mlir::Value> results(terminator->getOperands());
    terminator->erase();
    op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
    return Replace(op, results);
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
