// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-move-bits: moves floats of 16 bits as integers. Of loads, selections, constants and branches only arithmetic
// takes them as floats.
//
// A processor without registers for them has LLVM keep such a float as f32 from one block to the next: it is then
// rounded by a call of the runtime library at each store, which is slow and does not keep the bits of a NaN.
//
// Unless they are stored, the bits of a computed bf16 are taken from its f32: LLVM 22 dies where a program asks for the
// sign alone of what it converts to bf16 (bitcast to i16, shift by 15).
#include <llvm/ADT/SmallVector.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/IR/Builders.h>
#include <mlir/Interfaces/ControlFlowInterfaces.h>

#include "device/host/passes.h"

namespace opbyop::host {
namespace {

bool IsShortFloat(mlir::Type type) { return type.isBF16() || type.isF16(); }

class MoveBits : public mlir::PassWrapper<MoveBits, mlir::OperationPass<mlir::LLVM::LLVMFuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MoveBits)

  llvm::StringRef getArgument() const final { return "opbyop-move-bits"; }
  llvm::StringRef getDescription() const final { return "Move floats of 16 bits as integers"; }

  void runOnOperation() override {
    llvm::SmallVector<mlir::Value> carriers;
    llvm::SmallVector<mlir::OpOperand*> moved;
    getOperation().walk([&](mlir::Block* block) {
      if (!block->isEntryBlock()) llvm::append_range(carriers, block->getArguments());
    });
    getOperation().walk([&](mlir::Operation* op) {
      if (mlir::isa<mlir::LLVM::LoadOp, mlir::LLVM::SelectOp, mlir::LLVM::ConstantOp>(op)) {
        carriers.push_back(op->getResult(0));
      }
      for (mlir::OpOperand& operand : op->getOpOperands()) {
        if (Moves(operand)) moved.push_back(&operand);
      }
    });
    llvm::erase_if(carriers, [](mlir::Value value) { return !IsShortFloat(value.getType()); });
    for (mlir::Value carrier : carriers) Carry(carrier);
    // Results of arithmetic.
    for (mlir::OpOperand* operand : moved) {
      if (!IsShortFloat(operand->get().getType())) continue;
      mlir::OpBuilder builder(operand->getOwner());
      operand->set(Cast(builder, operand->get(), builder.getI16Type()));
    }
    llvm::SmallVector<mlir::LLVM::BitcastOp> casts;
    getOperation().walk([&](mlir::LLVM::BitcastOp cast) {
      const bool is_computed = !cast.getArg().getDefiningOp<mlir::LLVM::BitcastOp>();
      const bool is_used =
          llvm::any_of(cast->getUsers(), [](auto* user) { return !mlir::isa<mlir::LLVM::StoreOp>(user); });
      if (cast.getArg().getType().isBF16() && is_computed && is_used) casts.push_back(cast);
    });
    for (mlir::LLVM::BitcastOp cast : casts) TakeBitsFromF32(cast);
  }

 private:
  // Whether the operand is passed on as it is.
  static bool Moves(mlir::OpOperand& operand) {
    if (!IsShortFloat(operand.get().getType())) return false;
    mlir::Operation* op = operand.getOwner();
    if (mlir::isa<mlir::LLVM::StoreOp, mlir::LLVM::SelectOp>(op)) return true;
    auto branch = mlir::dyn_cast<mlir::BranchOpInterface>(op);
    return branch && branch.getSuccessorBlockArgument(operand.getOperandNumber()).has_value();
  }

  static mlir::Value Cast(mlir::OpBuilder& builder, mlir::Value value, mlir::Type type) {
    auto cast = value.getDefiningOp<mlir::LLVM::BitcastOp>();
    if (cast && cast.getArg().getType() == type) return cast.getArg();
    return mlir::LLVM::BitcastOp::create(builder, value.getLoc(), type, value);
  }

  static void TakeBitsFromF32(mlir::LLVM::BitcastOp cast) {
    mlir::OpBuilder b(cast);
    const mlir::Location loc = cast.getLoc();
    constexpr int kShift = 16;
    mlir::Value wide = mlir::LLVM::FPExtOp::create(b, loc, b.getF32Type(), cast.getArg());
    mlir::Value bits = mlir::LLVM::BitcastOp::create(b, loc, b.getI32Type(), wide);
    mlir::Value shift = mlir::LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(kShift));
    mlir::Value high = mlir::LLVM::LShrOp::create(b, loc, bits, shift);
    cast.replaceAllUsesWith(mlir::LLVM::TruncOp::create(b, loc, b.getI16Type(), high).getResult());
    cast.erase();
  }

  // Makes an integer of the value, and of that a float where it is computed with.
  static void Carry(mlir::Value carrier) {
    const mlir::Type type = carrier.getType();
    llvm::SmallVector<mlir::OpOperand*> computed;
    for (mlir::OpOperand& use : carrier.getUses()) {
      if (!Moves(use)) computed.push_back(&use);
    }
    mlir::OpBuilder builder(carrier.getContext());
    if (auto constant = carrier.getDefiningOp<mlir::LLVM::ConstantOp>()) {
      const auto number = mlir::dyn_cast<mlir::FloatAttr>(constant.getValue());
      if (!number) return;
      constant.setValueAttr(builder.getIntegerAttr(builder.getI16Type(), number.getValue().bitcastToAPInt()));
    }
    carrier.setType(builder.getI16Type());
    for (mlir::OpOperand* use : computed) {
      auto cast = mlir::dyn_cast<mlir::LLVM::BitcastOp>(use->getOwner());
      if (cast && cast.getType() == carrier.getType()) {
        cast.getResult().replaceAllUsesWith(carrier);
        cast.erase();
        continue;
      }
      builder.setInsertionPoint(use->getOwner());
      use->set(mlir::LLVM::BitcastOp::create(builder, carrier.getLoc(), type, carrier));
    }
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateMoveBitsPass() { return std::make_unique<MoveBits>(); }

}  // namespace opbyop::host
