// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-empty-signature: turns tensors without elements in the signature of @main into tensor<0x...>.
//
// The strides of memref<3x0xf32> are 0 and 1, which the calling convention of plain pointers does not accept. Such a
// buffer is never read or written, so any buffer without elements can take its place.
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include "device/host/passes.h"

namespace opbyop::host {
namespace {

namespace func = mlir::func;

class EmptySignature : public mlir::PassWrapper<EmptySignature, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmptySignature)

  llvm::StringRef getArgument() const final { return "opbyop-empty-signature"; }
  llvm::StringRef getDescription() const final { return "Give tensors without elements in signatures one dimension"; }

  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<mlir::tensor::TensorDialect>();
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isExternal() && function.getBody().hasOneBlock()) Rewrite(function);
    }
  }

 private:
  // Returns null if the type need not change.
  static mlir::RankedTensorType Flattened(mlir::Type type) {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || tensor.getRank() < 2 || tensor.getNumElements() > 0) return {};
    return mlir::RankedTensorType::get({0}, tensor.getElementType());
  }

  static void Rewrite(func::FuncOp function) {
    mlir::Block& body = function.getBody().front();
    mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&body);
    const auto empty = [&](mlir::Type type) -> mlir::Value {
      auto tensor = mlir::cast<mlir::RankedTensorType>(type);
      return mlir::tensor::EmptyOp::create(builder, function.getLoc(), tensor.getShape(), tensor.getElementType());
    };
    for (mlir::BlockArgument argument : body.getArguments()) {
      if (auto flat = Flattened(argument.getType())) {
        argument.replaceAllUsesWith(empty(argument.getType()));
        argument.setType(flat);
      }
    }
    mlir::Operation* end = body.getTerminator();
    builder.setInsertionPoint(end);
    for (mlir::OpOperand& operand : end->getOpOperands()) {
      if (auto flat = Flattened(operand.get().getType())) operand.set(empty(flat));
    }
    function.setType(builder.getFunctionType(body.getArgumentTypes(), end->getOperandTypes()));
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateEmptySignaturePass() { return std::make_unique<EmptySignature>(); }

}  // namespace opbyop::host
