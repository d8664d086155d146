// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/op_module.h"

#include "ir/first_error.h"
#include "mlir/IR/Verifier.h"

namespace opbyop::generator {

OpModule::OpModule(mlir::ModuleOp functions) : module_(functions.clone()), builder_(functions.getContext()) {
  module_->lookupSymbol("main")->erase();
  builder_.setInsertionPointToEnd(module_->getBody());
  main_ = mlir::func::FuncOp::create(builder_, module_->getLoc(), "main", builder_.getFunctionType({}, {}));
  builder_.setInsertionPointToEnd(main_.addEntryBlock());
}

mlir::Operation* OpModule::Add(mlir::Operation* op, const std::string& name, mlir::IRMapping& mapping) {
  const auto copy = [&](mlir::Value value) {
    if (mapping.contains(value)) return;
    if (mlir::Operation* constant = value.getDefiningOp()) {
      builder_.clone(*constant, mapping);
    } else {
      mapping.map(value, main_.getBody().front().addArgument(value.getType(), value.getLoc()));
    }
  };
  for (mlir::Value operand : op->getOperands()) copy(operand);
  op->walk([&](mlir::Operation* inner) {
    for (mlir::Value operand : inner->getOperands()) {
      if (!op->isAncestor(operand.getParentRegion()->getParentOp())) copy(operand);
    }
  });
  mlir::Operation* made = builder_.clone(*op, mapping);
  made->setLoc(mlir::NameLoc::get(builder_.getStringAttr(name), op->getLoc()));
  return made;
}

void OpModule::SetAttribute(mlir::Value argument, llvm::StringRef name, mlir::Attribute attribute) {
  const auto own = llvm::dyn_cast<mlir::BlockArgument>(argument);
  if (own) attributes_.emplace_back(own.getArgNumber(), builder_.getNamedAttr(name, attribute));
}

Expected<mlir::OwningOpRef<mlir::ModuleOp>> OpModule::Finish() {
  mlir::func::ReturnOp::create(builder_, module_->getLoc());
  main_.setType(builder_.getFunctionType(main_.getBody().front().getArgumentTypes(), {}));
  for (const auto& [argument, attribute] : attributes_) {
    main_.setArgAttr(argument, attribute.getName(), attribute.getValue());
  }
  const FirstError error(*module_->getContext());
  if (mlir::failed(mlir::verify(*module_))) return MakeError(ExitCode::kInternal, error.text());
  return std::move(module_);
}

}  // namespace opbyop::generator
