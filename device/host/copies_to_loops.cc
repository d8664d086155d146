// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-copies-to-loops: turns a memref.copy to or from a strided buffer into a linalg.generic, which is vectorized
// like all others. Copies of contiguous buffers are kept: they become memcpy.
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>

#include "device/host/passes.h"

namespace opbyop::host {
namespace {

class CopiesToLoops : public mlir::PassWrapper<CopiesToLoops, mlir::OperationPass<mlir::func::FuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CopiesToLoops)

  llvm::StringRef getArgument() const final { return "opbyop-copies-to-loops"; }
  llvm::StringRef getDescription() const final { return "Lower copies between strided buffers to linalg"; }

  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<mlir::linalg::LinalgDialect>();
  }

  void runOnOperation() override {
    llvm::SmallVector<mlir::memref::CopyOp> copies;
    getOperation().walk([&](mlir::memref::CopyOp copy) {
      const auto contiguous = [](mlir::Value buffer) {
        auto type = mlir::dyn_cast<mlir::MemRefType>(buffer.getType());
        return type && type.getLayout().isIdentity();
      };
      if (!contiguous(copy.getSource()) || !contiguous(copy.getTarget())) copies.push_back(copy);
    });
    for (mlir::memref::CopyOp copy : copies) {
      mlir::OpBuilder builder(copy);
      const int64_t rank = mlir::cast<mlir::MemRefType>(copy.getTarget().getType()).getRank();
      const mlir::AffineMap identity = builder.getMultiDimIdentityMap(rank);
      const llvm::SmallVector<mlir::utils::IteratorType> parallel(rank, mlir::utils::IteratorType::parallel);
      mlir::linalg::GenericOp::create(builder, copy.getLoc(), copy.getSource(), copy.getTarget(),
                                      llvm::ArrayRef<mlir::AffineMap>{identity, identity}, parallel,
                                      [](mlir::OpBuilder& inner, mlir::Location location, mlir::ValueRange scalars) {
                                        mlir::linalg::YieldOp::create(inner, location, scalars[0]);
                                      });
      copy.erase();
    }
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateCopiesToLoopsPass() { return std::make_unique<CopiesToLoops>(); }

}  // namespace opbyop::host
