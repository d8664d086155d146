// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Judges an output of one op that fills, counts, adds up, picks from or updates large tensors by parts of its first
// dimension: only some rows of the expected values, and of their bounds, are in memory at a time.
//
//   std::optional<Comparison> c = JudgeByRows(entry, evaluator, arguments, bytes, {.factor = 1});
//
// Only outputs that are right have such a comparison. It then is what JudgeOutput gives.
#ifndef OPBYOP_REFERENCE_WORKER_ROWS_JUDGE_H_
#define OPBYOP_REFERENCE_WORKER_ROWS_JUDGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "manifests/results/result.h"
#include "reference/bounds/compare.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {

struct RowsLimits {
  int64_t fewest = int64_t{1} << 24;  // elements of an output that is judged by rows
  int64_t part = int64_t{1} << 22;    // elements of the rows that are computed together
  int64_t moved = int64_t{1} << 24;   // the same if they are only moved, in stored form
};

// Returns nullopt if the program is not one broadcast_in_dim, iota, dynamic_update_slice, gather, or reduce or scatter
// of one tensor, or if its output has few elements or is refused: the caller then judges it as a whole. The size of
// `bytes` must be right.
std::optional<Comparison> JudgeByRows(mlir::Operation* entry, Evaluator& evaluator, const Values& arguments,
                                      std::span<const std::byte> bytes, const CompareOptions& options,
                                      const RowsLimits& limits = {});

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_ROWS_JUDGE_H_
