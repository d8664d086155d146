// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The op whose result a function of one op returns, and its operands, which are arguments of the function.
//
//   const EntryOp only(entry, arguments);
//   const OpContext context = only.In(evaluator);
#ifndef OPBYOP_REFERENCE_WORKER_ENTRY_OP_H_
#define OPBYOP_REFERENCE_WORKER_ENTRY_OP_H_

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

struct EntryOp {
  EntryOp(mlir::Operation* entry, const Values& arguments)
      : op(entry->getRegion(0).front().getTerminator()->getOperand(0).getDefiningOp()) {
    for (mlir::Value operand : op->getOperands()) {
      operands.push_back(arguments[llvm::cast<mlir::BlockArgument>(operand).getArgNumber()]);
    }
  }
  OpContext In(Evaluator& evaluator) const { return {op, op->getName().getStringRef(), operands, evaluator, nullptr}; }

  mlir::Operation* op;
  Values operands;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_ENTRY_OP_H_
