// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The ops that are together one program of their own: one op, or several of one block.
//
//   OpGroup one(op);                              // all results of the op are returned
//   OpGroup pair({multiply, add}, {add->getResult(0)});
#ifndef OPBYOP_GENERATOR_PROGRAM_OP_GROUP_H_
#define OPBYOP_GENERATOR_PROGRAM_OP_GROUP_H_

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace opbyop::generator {

class OpGroup {
 public:
  OpGroup(mlir::Operation* op)  // NOLINT(google-explicit-constructor): an op is the group of itself
      : ops_{op}, results_(op->getResults().begin(), op->getResults().end()) {}

  // `ops` are in the order of their block, and no op before them or between them uses a result of a later one.
  OpGroup(llvm::ArrayRef<mlir::Operation*> ops, llvm::ArrayRef<mlir::Value> results) : ops_(ops), results_(results) {}

  llvm::ArrayRef<mlir::Operation*> ops() const { return ops_; }
  llvm::ArrayRef<mlir::Value> results() const { return results_; }  // returned by the program, in order
  bool is_one_op() const { return ops_.size() == 1; }

 private:
  llvm::SmallVector<mlir::Operation*, 1> ops_;
  llvm::SmallVector<mlir::Value, 1> results_;
};

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_OP_GROUP_H_
