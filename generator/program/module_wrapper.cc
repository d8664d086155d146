// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/module_wrapper.h"

#include "ir/vendor_dialects.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace opbyop::generator {
namespace {

bool IsPart(mlir::Operation* op, VendorPart part) { return VendorPartOf(op->getName().getStringRef()) == part; }

std::vector<mlir::NamedAttribute> VendorAttributesOf(mlir::Operation* op) {
  std::vector<mlir::NamedAttribute> attributes;
  for (mlir::NamedAttribute attribute : op->getDiscardableAttrs()) {
    if (IsVendorAttribute(attribute.getName())) attributes.push_back(attribute);
  }
  return attributes;
}

void SetAll(mlir::Operation* op, const std::vector<mlir::NamedAttribute>& attributes) {
  for (mlir::NamedAttribute attribute : attributes) op->setAttr(attribute.getName(), attribute.getValue());
}

}  // namespace

ModuleWrapper::ModuleWrapper(mlir::ModuleOp module) : module_attributes_(VendorAttributesOf(module)) {
  for (mlir::Operation& op : *module.getBody()) {
    if (IsPart(&op, VendorPart::kBesideFunctions)) companions_.push_back(&op);
    if (function_attributes_.empty() && mlir::isa<mlir::FunctionOpInterface>(op))
      function_attributes_ = VendorAttributesOf(&op);
  }
  for (mlir::Operation* parent = module->getParentOp(); parent != nullptr; parent = parent->getParentOp()) {
    if (IsPart(parent, VendorPart::kAroundModule)) around_.push_back(parent);
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
