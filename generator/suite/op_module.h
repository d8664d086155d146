// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Collects ops of other modules in a model: @main has copies of them, on arguments of their own.
//
//   OpModule model(module);
//   mlir::IRMapping mapping;
//   mlir::Operation* copy = model.Add(op, "the same op twice", mapping);
//   Expected<mlir::OwningOpRef<mlir::ModuleOp>> made = model.Finish();
#ifndef OPBYOP_GENERATOR_SUITE_OP_MODULE_H_
#define OPBYOP_GENERATOR_SUITE_OP_MODULE_H_

#include <string>
#include <utility>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/expected.h"

namespace opbyop::generator {

class OpModule {
 public:
  // The functions that ops may name are those of `functions`.
  explicit OpModule(mlir::ModuleOp functions);

  mlir::ModuleOp module() { return module_.get(); }

  // Copies the op with its constants. Other values that it uses, and that are not mapped, become arguments. `name` is
  // the start of the copy's location.
  mlir::Operation* Add(mlir::Operation* op, const std::string& name, mlir::IRMapping& mapping);

  // Gives an argument of @main an attribute. No effect on other values.
  void SetAttribute(mlir::Value argument, llvm::StringRef name, mlir::Attribute attribute);

  // Returns kInternal if the module is not valid. Nothing can be added afterwards.
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> Finish();

 private:
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::OpBuilder builder_;
  mlir::func::FuncOp main_;
  std::vector<std::pair<unsigned, mlir::NamedAttribute>> attributes_;  // by number of the argument
};

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_OP_MODULE_H_
