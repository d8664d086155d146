// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which values of a block are read for the last time by which of its ops, regions of that op included: what lets a
// run of a large model drop its activations as it goes.
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
