// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Folds rows of elements with a region: the common part of reduce and reduce_window.
#ifndef OPBYOP_REFERENCE_EVAL_OPS_FOLD_H_
#define OPBYOP_REFERENCE_EVAL_OPS_FOLD_H_

#include <vector>

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// result[r][i] = body(... body(inits, rows[..][i, 0]) ..., rows[..][i, count - 1]); rows are [outer, count].
Expected<std::vector<Tensor>> FoldRows(OpContext& context, mlir::Region& body, std::vector<Tensor> rows,
                                       const std::vector<Tensor>& inits, int64_t outer, int64_t count);

// Returns operand i of reduce or reduce_window, converted to the type in which the region computes.
Tensor PromotedOperand(const OpContext& context, size_t i);

// Like FoldRows without initial values: result[i] = body(... body(rows[i, 0], rows[i, 1]) ..., rows[i, count - 1]).
Expected<Tensor> FoldMembers(OpContext& context, mlir::Region& body, Tensor rows, int64_t outer, int64_t count);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_OPS_FOLD_H_
