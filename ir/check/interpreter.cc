// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/check/check.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#define GET_OP_CLASSES
#include "ir/check/interpreter.cc.inc"

namespace opbyop::interpreter {

using llvm::LogicalResult;
using mlir::failure;
using mlir::success;

namespace {

mlir::func::FuncOp LookUp(mlir::Operation* op, mlir::FlatSymbolRefAttr name, mlir::SymbolTableCollection& symbols) {
  auto function = symbols.lookupNearestSymbolFrom<mlir::func::FuncOp>(op, name);
  if (!function) op->emitOpError() << "names the function '" << name.getValue() << "', which does not exist";
  return function;
}

}  // namespace

LogicalResult RunParallelOp::verifySymbolUses(mlir::SymbolTableCollection& symbols) {
  if (getPrograms().empty()) return emitOpError() << "expects at least one row of programs";
  size_t inputs = 0, results = 0;
  auto width = llvm::cast<mlir::ArrayAttr>(getPrograms()[0]).size();
  for (auto row : getPrograms().getAsRange<mlir::ArrayAttr>()) {
    if (row.size() != width)
      return emitOpError() << "expects rows of programs of one length, " << width << ", but got " << row.size();
    for (auto name : row.getAsRange<mlir::FlatSymbolRefAttr>()) {
      mlir::func::FuncOp function = LookUp(*this, name, symbols);
      if (!function) return failure();
      inputs += function.getNumArguments();
      results += function.getNumResults();
    }
  }
  if (inputs != getInputs().size())
    return emitOpError() << "expects the inputs of all programs, " << inputs << ", but got " << getInputs().size();
  if (results != getNumResults())
    return emitOpError() << "expects the results of all programs, " << results << ", but got " << getNumResults();
  mlir::ArrayAttr infeed = getInfeedAttr();
  if (!infeed) return success();
  if (infeed.empty()) return emitOpError() << "expects an infeed that is absent or not empty";
  for (mlir::Attribute attribute : infeed) {
    auto name = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(attribute);
    if (!name) return emitOpError() << "expects an infeed of functions, but got " << attribute;
    mlir::func::FuncOp function = LookUp(*this, name, symbols);
    if (!function) return failure();
    if (function.getNumResults() != 1 || !llvm::isa<mlir::TensorType>(function.getResultTypes().front()))
      return emitOpError() << "expects the infeed function '" << name.getValue()
                           << "' to return one tensor, but its type is " << function.getFunctionType();
  }
  return success();
}

void InterpreterDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/check/interpreter.cc.inc"
      >();
}

}  // namespace opbyop::interpreter

#include "ir/check/interpreter_dialect.cc.inc"
