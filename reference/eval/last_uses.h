// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds, for each op of a block, the values that it (or one of its regions) is the last to read. The evaluator frees
// these values after the op, so that a large model does not keep all its activations.
#ifndef OPBYOP_REFERENCE_EVAL_LAST_USES_H_
#define OPBYOP_REFERENCE_EVAL_LAST_USES_H_

#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace opbyop::reference {

using LastUses = llvm::DenseMap<mlir::Operation*, std::vector<mlir::Value>>;

LastUses FindLastUses(mlir::Block& block);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_LAST_USES_H_
