// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-npy-main: adds an `int main()` to a case whose values are buffers, so that any tool that runs programs can run
// it.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/IR/ImplicitLocOpBuilder.h>
#include <mlir/IR/SymbolTable.h>
#include <mlir/Pass/Pass.h>

#include "device/pipeline/mlir_pipeline_runner.h"

namespace opbyop::device {
namespace {

using mlir::Value;
namespace arith = mlir::arith;
namespace func = mlir::func;
namespace memref = mlir::memref;

constexpr llvm::StringLiteral kCase = "opbyop_case";
constexpr llvm::StringLiteral kRead = "opbyop_read_npy";
constexpr llvm::StringLiteral kWrite = "opbyop_write_npy";
constexpr llvm::StringLiteral kResult = "bufferize.result";  // the attribute that buffer-results-to-out-params sets

class NpyMain : public mlir::PassWrapper<NpyMain, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NpyMain)

  llvm::StringRef getArgument() const final { return "opbyop-npy-main"; }
  llvm::StringRef getDescription() const final { return "Add `int main()` that reads and writes the case's tensors"; }

  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect, memref::MemRefDialect>();
  }

  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    auto body = module.lookupSymbol<func::FuncOp>("main");
    if (!body || body.getNumResults() != 0) {
      module.emitError("expected a function @main in buffers, results as arguments");
      return signalPassFailure();
    }
    for (mlir::Type type : body.getArgumentTypes()) {
      auto buffer = mlir::dyn_cast<mlir::MemRefType>(type);
      if (buffer && buffer.hasStaticShape() && buffer.getLayout().isIdentity()) continue;
      body.emitError() << "expected arguments that are buffers of static shape and identity layout, found " << type;
      return signalPassFailure();
    }
    body.setName(kCase);
    body.setPrivate();
    mlir::ImplicitLocOpBuilder b(body.getLoc(), &getContext());
    b.setInsertionPointToEnd(module.getBody());
    const mlir::Type i64 = b.getI64Type();
    const mlir::Type i32 = b.getI32Type();
    for (llvm::StringRef name : {kRead, kWrite}) {
      func::FuncOp::create(b, name, b.getFunctionType({i64, i64, i64}, {i32})).setPrivate();
    }
    auto main = func::FuncOp::create(b, "main", b.getFunctionType({}, {i32}));
    b.setInsertionPointToStart(main.addEntryBlock());

    llvm::SmallVector<Value> buffers;
    for (mlir::Type type : body.getArgumentTypes()) {
      buffers.push_back(memref::AllocOp::create(b, mlir::cast<mlir::MemRefType>(type)));
    }
    failures_ = arith::ConstantIntOp::create(b, 0, 32);
    for (int64_t i = 0, input = 0; i < static_cast<int64_t>(buffers.size()); ++i) {
      if (!body.getArgAttr(i, kResult)) Transfer(b, kRead, input++, buffers[i], TypeText(b, module, buffers[i], i));
    }
    func::CallOp::create(b, body, buffers);
    for (int64_t i = 0, output = 0; i < static_cast<int64_t>(buffers.size()); ++i) {
      if (body.getArgAttr(i, kResult)) Transfer(b, kWrite, output++, buffers[i], TypeText(b, module, buffers[i], i));
    }
    func::ReturnOp::create(b, failures_);
  }

 private:
  // Calls `int32 name(int64 index, int64 address, int64 address of the type's text)`, which returns 0, or 1 on failure.
  void Transfer(mlir::ImplicitLocOpBuilder& b, llvm::StringRef name, int64_t index, Value buffer, Value type_text) {
    Value position = arith::ConstantIntOp::create(b, index, 64);
    auto call = func::CallOp::create(b, name, b.getI32Type(), {position, Address(b, buffer), type_text});
    failures_ = arith::OrIOp::create(b, failures_, call.getResult(0));
  }

  static Value Address(mlir::ImplicitLocOpBuilder& b, Value buffer) {
    Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
    return arith::IndexCastOp::create(b, b.getI64Type(), pointer);
  }

  // The address of "2x3xf32", a constant of the module.
  static Value TypeText(mlir::ImplicitLocOpBuilder& b, mlir::ModuleOp module, Value buffer, int64_t index) {
    auto type = mlir::cast<mlir::MemRefType>(buffer.getType());
    std::string text;
    llvm::raw_string_ostream stream(text);
    for (int64_t dim : type.getShape()) stream << dim << "x";
    stream << type.getElementType();
    const llvm::ArrayRef<char> bytes(text.c_str(), text.size() + 1);
    const int64_t size = static_cast<int64_t>(bytes.size());
    auto data = mlir::DenseElementsAttr::getFromRawBuffer(mlir::RankedTensorType::get({size}, b.getI8Type()), bytes);
    auto global_type = mlir::MemRefType::get({size}, b.getI8Type());
    const std::string name = "opbyop_type_" + std::to_string(index);
    {
      mlir::OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      memref::GlobalOp::create(b, name, b.getStringAttr("private"), global_type, data, /*constant=*/true, nullptr);
    }
    return Address(b, memref::GetGlobalOp::create(b, global_type, name));
  }

  Value failures_;
};

}  // namespace

void RegisterNpyMainPass() {
  static const bool registered = [] {
    mlir::registerPass([] { return std::make_unique<NpyMain>(); });
    return true;
  }();
  (void)registered;
}

}  // namespace opbyop::device
