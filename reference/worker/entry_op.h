// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The op whose result a function of one op returns, and its operands: arguments of the function, constants, or
// broadcasts of those.
//
//   const Expected<EntryOp> only = EntryOp::Of(entry, arguments, evaluator);
//   const OpContext context = only->In(evaluator);
#ifndef OPBYOP_REFERENCE_WORKER_ENTRY_OP_H_
#define OPBYOP_REFERENCE_WORKER_ENTRY_OP_H_

#include "reference/eval/evaluator.h"
#include "support/expected.h"

namespace opbyop::reference {

// The op whose one result is the one that the function returns, or null.
mlir::Operation* ReturnedOp(mlir::Operation* entry);

struct EntryOp {
  // Returns kUnsupported if the function does more than one op, or returns more than one result.
  static Expected<EntryOp> Of(mlir::Operation* entry, const Values& arguments, Evaluator& evaluator);

  OpContext In(Evaluator& evaluator) const { return {op, op->getName().getStringRef(), operands, evaluator, nullptr}; }

  mlir::Operation* op = nullptr;
  Values operands;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_ENTRY_OP_H_
