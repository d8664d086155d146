// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the ops of a block that several layers share, wherever they are written: an attention mask, tables of angles.
//
//   for (const size_t span : LongestSpans(ops, 16)) {
//     const std::vector<bool> is_shared = SharedOps(ops, span, {});   // tried as what is not part of a layer
//   }
//
// The span of an op is the distance between the first and the last op that uses a result of it. What a layer computes
// is used in this layer and in the next one, so that its span is shorter than a layer; what two layers share has a span
// of at least one layer. How long a layer is, only a search for repeats can tell.
#ifndef OPBYOP_GENERATOR_GROUP_SHARED_OPS_H_
#define OPBYOP_GENERATOR_GROUP_SHARED_OPS_H_

#include <cstddef>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/Operation.h"

namespace opbyop::generator {

// The different spans of the ops, at most `most` of them, the longest first. `ops` are of one block, in its order.
// The terminator of the block, and ops that are not listed, do not count as uses.
std::vector<size_t> LongestSpans(llvm::ArrayRef<mlir::Operation*> ops, size_t most);

// For each op whether its span is at least `span`, or all its uses are by ops of which this is true. Ops in `never` are
// not shared: the layers of an encoder serve nothing but what the layers of its decoder share.
std::vector<bool> SharedOps(llvm::ArrayRef<mlir::Operation*> ops, size_t span,
                            const llvm::DenseSet<mlir::Operation*>& never);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_GROUP_SHARED_OPS_H_
