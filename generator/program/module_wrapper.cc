// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/module_wrapper.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace opbyop::generator {
namespace {

bool IsOfFrame(llvm::StringRef attribute) { return attribute.starts_with("ttcore.") || attribute.starts_with("tt."); }

bool IsCompanion(mlir::Operation* op) { return op->getName().getStringRef() == "ttcore.device"; }

bool IsAround(mlir::Operation* op) { return op->getName().getStringRef() == "ttcore.device_module"; }

std::vector<mlir::NamedAttribute> OfFrame(mlir::Operation* op) {
  std::vector<mlir::NamedAttribute> attributes;
  for (mlir::NamedAttribute attribute : op->getDiscardableAttrs()) {
    if (IsOfFrame(attribute.getName())) attributes.push_back(attribute);
  }
  return attributes;
}

void SetAll(mlir::Operation* op, const std::vector<mlir::NamedAttribute>& attributes) {
  for (mlir::NamedAttribute attribute : attributes) op->setAttr(attribute.getName(), attribute.getValue());
}

}  // namespace

ModuleWrapper::ModuleWrapper(mlir::ModuleOp module) : module_attributes_(OfFrame(module)) {
  for (mlir::Operation& op : *module.getBody()) {
    if (IsCompanion(&op)) companions_.push_back(&op);
    if (function_attributes_.empty() && mlir::isa<mlir::FunctionOpInterface>(op)) function_attributes_ = OfFrame(&op);
  }
  for (mlir::Operation* parent = module->getParentOp(); parent != nullptr; parent = parent->getParentOp()) {
    if (IsAround(parent)) around_.push_back(parent);
  }
}

mlir::OwningOpRef<mlir::ModuleOp> ModuleWrapper::Around(mlir::OwningOpRef<mlir::ModuleOp> module) const {
  SetAll(*module, module_attributes_);
  mlir::OpBuilder builder(module->getContext());
  builder.setInsertionPointToStart(module->getBody());
  for (mlir::Operation* companion : companions_) builder.clone(*companion);
  if (mlir::Operation* main = mlir::SymbolTable::lookupSymbolIn(*module, "main")) SetAll(main, function_attributes_);
  for (mlir::Operation* op : around_) {
    mlir::OwningOpRef<mlir::ModuleOp> outer = mlir::ModuleOp::create(module->getLoc());
    builder.setInsertionPointToStart(outer->getBody());
    mlir::Operation* wrapper = builder.cloneWithoutRegions(*op);
    wrapper->getRegion(0).emplaceBlock().push_back(module.release());
    module = std::move(outer);
  }
  return module;
}

}  // namespace opbyop::generator
