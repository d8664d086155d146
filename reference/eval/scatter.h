// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Combines updates with elements: the common part of scatter and select_and_scatter.
#ifndef OPBYOP_REFERENCE_EVAL_SCATTER_H_
#define OPBYOP_REFERENCE_EVAL_SCATTER_H_

#include <vector>

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// results[r][to[i]] = combine(results...[to[i]], updates...[i]) for i in order; updates with to[i] < 0 are dropped. The
// specification leaves the order open: bounds include the results of all orders, and are infinite if these are unknown.
Expected<std::vector<Tensor>> ScatterInto(OpContext& context, mlir::Region& combine, std::vector<Tensor> results,
                                          const std::vector<Tensor>& updates, const std::vector<int64_t>& to);

// TakeElements returns the elements at flat places as a vector; PutElements writes them back. Both include bounds.
Tensor TakeElements(const Tensor& t, const std::vector<int64_t>& places);
void PutElements(Tensor& t, const Tensor& values, const std::vector<int64_t>& places);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_SCATTER_H_
