// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Combining updates into places: the common part of scatter and select_and_scatter.
#ifndef OPBYOP_REFERENCE_EVAL_SCATTER_H_
#define OPBYOP_REFERENCE_EVAL_SCATTER_H_

#include <vector>

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// results[r][to[i]] = combine(results...[to[i]], updates...[i]) for i in order; to[i] < 0 is dropped. The specification
// leaves the order open: bounds are infinite where another one gives another value.
Expected<std::vector<Tensor>> ScatterInto(OpContext& context, mlir::Region& combine, std::vector<Tensor> results,
                                          const std::vector<Tensor>& updates, const std::vector<int64_t>& to);

// Elements at flat places as a vector, and back; bounds go along.
Tensor TakeElements(const Tensor& t, const std::vector<int64_t>& places);
void PutElements(Tensor& t, const Tensor& values, const std::vector<int64_t>& places);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_SCATTER_H_
