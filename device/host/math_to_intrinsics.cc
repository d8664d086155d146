// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-math-to-intrinsics: lowers math ops that libm has no function for to LLVM's intrinsics, or writes them in
// terms of other ops. MLIR's conversion to libm, which lowers the remaining ops, refuses ops that it does not know or
// calls functions that no libm has.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include "device/host/passes.h"

namespace opbyop::host {
namespace {

namespace LLVM = mlir::LLVM;
namespace math = mlir::math;

class MathToIntrinsics : public mlir::PassWrapper<MathToIntrinsics, mlir::OperationPass<mlir::func::FuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MathToIntrinsics)

  llvm::StringRef getArgument() const final { return "opbyop-math-to-intrinsics"; }
  llvm::StringRef getDescription() const final { return "Lower math ops that libm lacks to LLVM's intrinsics"; }

  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<mlir::arith::ArithDialect, LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    getOperation().walk([](mlir::Operation* op) {
      mlir::OpBuilder b(op);
      mlir::Value result;
      if (auto copy = mlir::dyn_cast<math::CopySignOp>(op)) {
        result = LLVM::CopySignOp::create(b, op->getLoc(), copy.getType(), copy.getLhs(), copy.getRhs());
      } else if (auto count = mlir::dyn_cast<math::CtPopOp>(op)) {
        result = LLVM::CtPopOp::create(b, op->getLoc(), count.getType(), count.getOperand());
      } else if (auto zeros = mlir::dyn_cast<math::CountLeadingZerosOp>(op)) {
        result = LLVM::CountLeadingZerosOp::create(b, op->getLoc(), zeros.getType(), zeros.getOperand(), false);
      } else if (auto finite = mlir::dyn_cast<math::IsFiniteOp>(op)) {
        constexpr uint32_t kFinite = 0x1f8;  // LLVM's classes of zeros, subnormal and normal numbers
        result = LLVM::IsFPClass::create(b, op->getLoc(), finite.getType(), finite.getOperand(), kFinite);
      } else if (auto root = mlir::dyn_cast<math::RsqrtOp>(op)) {
        mlir::Value one = mlir::arith::ConstantOp::create(b, op->getLoc(), b.getFloatAttr(root.getType(), 1));
        mlir::Value square_root = math::SqrtOp::create(b, op->getLoc(), root.getOperand());
        result = mlir::arith::DivFOp::create(b, op->getLoc(), one, square_root);
      }
      if (!result) return;
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    });
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateMathToIntrinsicsPass() { return std::make_unique<MathToIntrinsics>(); }

}  // namespace opbyop::host
