// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Judges a large output of one matrix product or convolution without holding all of its values: some rows at a time are
// computed, get their bounds, and are compared.
//
//   std::optional<Comparison> c = JudgeProductByRows(entry, evaluator, arguments, bytes, {.factor = 1});
//
// Only outputs that are right have such a comparison. It then is what JudgeOutput gives.
#ifndef OPBYOP_REFERENCE_WORKER_PRODUCT_ROWS_JUDGE_H_
#define OPBYOP_REFERENCE_WORKER_PRODUCT_ROWS_JUDGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "manifests/results/result.h"
#include "reference/bounds/compare.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {

struct ProductRowsLimits {
  int64_t fewest = int64_t{1} << 24;  // elements of an output that is judged by rows
  int64_t part = int64_t{1} << 19;    // elements of the rows that are computed together
  int64_t rows = 128;                 // the fewest of them: the other operand is read once for each part
};

// `entry` is a function that IsProduct (reference/worker/product_judge.h) describes. Returns nullopt if the output has
// few elements, or is refused, or if its rows do not follow each other: the caller then judges it as a whole. The size
// of `bytes` must be right.
std::optional<Comparison> JudgeProductByRows(mlir::Operation* entry, Evaluator& evaluator, const Values& arguments,
                                             std::span<const std::byte> bytes, const CompareOptions& options,
                                             const ProductRowsLimits& limits = {});

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_PRODUCT_ROWS_JUDGE_H_
