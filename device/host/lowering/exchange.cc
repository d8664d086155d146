// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls of the functions that processes do together (device/host/exchange.h). They take addresses as integers, so that
// one function serves all types.
#include "device/host/exchange.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include "device/host/lowering/loops.h"
#include "device/host/lowering/pattern.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

namespace LLVM = mlir::LLVM;

using mlir::MemRefType;
using mlir::RankedTensorType;
using mlir::Value;

// The bytes of an element in memory: a power of two.
int64_t BytesOf(mlir::Type element) {
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(element)) return 2 * BytesOf(complex.getElementType());
  return static_cast<int64_t>(llvm::PowerOf2Ceil((element.getIntOrFloatBitWidth() + 7) / 8));
}

MemRefType BufferOf(RankedTensorType type) { return MemRefType::get(type.getShape(), type.getElementType()); }

Value AddressOf(mlir::ImplicitLocOpBuilder& b, Value buffer) {
  Value address = mlir::memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  return mlir::arith::IndexCastOp::create(b, b.getI64Type(), address);
}

LLVM::LLVMFuncOp Declared(mlir::ConversionPatternRewriter& rewriter, mlir::Operation* op, llvm::StringRef name,
                          mlir::Type result, unsigned arguments) {
  auto module = op->getParentOfType<mlir::ModuleOp>();
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name)) return function;
  const mlir::OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(module.getBody());
  const llvm::SmallVector<mlir::Type> types(arguments, rewriter.getI64Type());
  return LLVM::LLVMFuncOp::create(rewriter, module.getLoc(), name, LLVM::LLVMFunctionType::get(result, types));
}

class ExchangePattern : public HostPattern<stablehlo::CustomCallOp> {
 public:
  using HostPattern::HostPattern;

  mlir::LogicalResult matchAndRewrite(stablehlo::CustomCallOp op, OpAdaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    if (op.getCallTargetName() == kProcessCall) return Process(op, rewriter);
    if (op.getCallTargetName() != kExchangeCall) return mlir::failure();
    RankedTensorType type = ResultType(op);
    if (!type) return mlir::failure();
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value own = adaptor.getOperands()[0];
    const auto own_type = mlir::cast<RankedTensorType>(own.getType());
    const auto groups = op->getAttrOfType<mlir::DenseIntElementsAttr>(kGroupsAttribute);
    const auto groups_type = mlir::cast<RankedTensorType>(groups.getType());
    Value own_buffer = mlir::bufferization::ToBufferOp::create(b, BufferOf(own_type), own, /*read_only=*/true);
    Value table = mlir::arith::ConstantOp::create(b, groups);
    Value table_buffer = mlir::bufferization::ToBufferOp::create(b, BufferOf(groups_type), table, /*read_only=*/true);
    Value all = mlir::memref::AllocOp::create(b, BufferOf(type));
    const auto number = [&](int64_t value) { return mlir::arith::ConstantIntOp::create(b, value, 64).getResult(); };
    const int64_t bytes = own_type.getNumElements() * BytesOf(own_type.getElementType());
    auto function = Declared(rewriter, op, kExchangeSymbol, LLVM::LLVMVoidType::get(b.getContext()), /*arguments=*/6);
    LLVM::CallOp::create(
        b, function,
        mlir::ValueRange{AddressOf(b, own_buffer), AddressOf(b, all), number(bytes), AddressOf(b, table_buffer),
                         number(groups_type.getDimSize(0)), number(groups_type.getDimSize(1))});
    rewriter.replaceOp(op, mlir::bufferization::ToTensorOp::create(b, type, all, /*restrict=*/true, /*writable=*/true));
    return mlir::success();
  }

 private:
  mlir::LogicalResult Process(stablehlo::CustomCallOp op, mlir::ConversionPatternRewriter& rewriter) const {
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto function = Declared(rewriter, op, kProcessSymbol, b.getI64Type(), /*arguments=*/0);
    Value process = LLVM::CallOp::create(b, function, mlir::ValueRange()).getResult();
    Value narrow = mlir::arith::TruncIOp::create(b, b.getI32Type(), process);
    rewriter.replaceOp(op, mlir::tensor::FromElementsOp::create(b, ResultType(op), mlir::ValueRange(narrow)));
    return mlir::success();
  }
};

}  // namespace

void PopulateExchanges(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals) {
  patterns.add<ExchangePattern>(types, patterns.getContext(), refusals);
}

}  // namespace opbyop::host
