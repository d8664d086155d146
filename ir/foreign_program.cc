// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/foreign_program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

namespace opbyop {
namespace {

void PropertiesToAttributes(mlir::Operation* op) {
  auto properties = mlir::dyn_cast_or_null<mlir::DictionaryAttr>(op->getPropertiesAsAttribute());
  if (!properties) return;
  mlir::NamedAttrList attributes(op->getDiscardableAttrDictionary());
  for (mlir::NamedAttribute entry : properties) attributes.set(entry.getName(), entry.getValue());
  if (failed(op->setPropertiesFromAttribute(mlir::Attribute(), nullptr))) return;
  op->setDiscardableAttrs(attributes.getDictionary(op->getContext()));
}

// The name and type of a function op of another dialect, as func.func needs them.
struct FunctionForm {
  mlir::StringAttr name;
  mlir::FunctionType type;
};

std::optional<FunctionForm> FormOf(mlir::Operation* op) {
  if (!op->getName().getStringRef().ends_with(".func") || op->getNumRegions() != 1 || op->getNumResults() != 0) {
    return std::nullopt;
  }
  auto name = op->getAttrOfType<mlir::StringAttr>(mlir::SymbolTable::getSymbolAttrName());
  auto type = op->getAttrOfType<mlir::TypeAttr>("function_type");
  auto function = type ? mlir::dyn_cast<mlir::FunctionType>(type.getValue()) : mlir::FunctionType();
  if (!name || !function) return std::nullopt;
  mlir::Region& body = op->getRegion(0);
  if (!body.empty() && body.getArgumentTypes() != mlir::TypeRange(function.getInputs())) return std::nullopt;
  return FunctionForm{name, function};
}

void MakeFunction(mlir::Operation* op, const FunctionForm& form) {
  mlir::OpBuilder builder(op);
  auto function = mlir::func::FuncOp::create(builder, op->getLoc(), form.name.getValue(), form.type);
  const auto visibility = op->getAttrOfType<mlir::StringAttr>(mlir::SymbolTable::getVisibilityAttrName());
  if (visibility) function.setSymVisibilityAttr(visibility);
  function.getBody().takeBody(op->getRegion(0));
  op->erase();
}

// Returns the last part of an op's name if the op is not registered; else an empty name.
llvm::StringRef ForeignMnemonic(mlir::Operation* op) {
  return op->isRegistered() ? llvm::StringRef() : op->getName().getStringRef().rsplit('.').second;
}

}  // namespace

void MakeWalkable(mlir::ModuleOp module) {
  llvm::SmallVector<mlir::Operation*> functions, returns, calls;
  module.walk([&](mlir::Operation* op) {
    if (op->isRegistered()) return;
    PropertiesToAttributes(op);
    const llvm::StringRef mnemonic = ForeignMnemonic(op);
    if (mnemonic == "func" && FormOf(op)) functions.push_back(op);
    if (mnemonic == "call" && op->getAttrOfType<mlir::FlatSymbolRefAttr>("callee")) calls.push_back(op);
  });
  if (functions.empty()) return;
  module.getContext()->getOrLoadDialect<mlir::func::FuncDialect>();
  for (mlir::Operation* op : functions) {
    for (mlir::Block& block : op->getRegion(0)) {
      if (!block.empty() && ForeignMnemonic(&block.back()) == "return") returns.push_back(&block.back());
    }
  }
  for (mlir::Operation* op : returns) {
    mlir::OpBuilder builder(op);
    mlir::func::ReturnOp::create(builder, op->getLoc(), op->getOperands());
    op->erase();
  }
  for (mlir::Operation* op : calls) {
    mlir::OpBuilder builder(op);
    auto call = mlir::func::CallOp::create(builder, op->getLoc(), op->getAttrOfType<mlir::FlatSymbolRefAttr>("callee"),
                                           op->getResultTypes(), op->getOperands());
    op->replaceAllUsesWith(call.getResults());
    op->erase();
  }
  for (mlir::Operation* op : functions) MakeFunction(op, *FormOf(op));
}

}  // namespace opbyop
