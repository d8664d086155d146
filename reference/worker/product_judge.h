// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Judges an output of one matrix product or convolution that is too large to compute again: a stratified sample of its
// elements and everything that a checksum makes suspicious are computed exactly, and nothing else is [Huang and Abraham
// 1984].
//
//   if (IsProduct(entry)) {
//     Expected<Comparison> c = JudgeProduct(entry, evaluator, arguments, shape, bytes, criteria, {}, seed, {});
//     c->judged;        // "sample and checksums of 16 rows"
//     c->least_error;   // 24: the error in one element that is sure to be found, in units of its bound
//   }
//
// A checksum adds up some rows of the output with random signs and compares the sums with those of the operand's rows,
// multiplied by the other operand. It never accuses: only elements that are computed exactly do. Sums of integers are
// exact, so their checksums may be of many rows. docs/numerics/rules.md derives the errors that are found.
#ifndef OPBYOP_REFERENCE_WORKER_PRODUCT_JUDGE_H_
#define OPBYOP_REFERENCE_WORKER_PRODUCT_JUDGE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "manifests/results/result.h"
#include "reference/eval/alternatives.h"
#include "reference/eval/dot.h"
#include "reference/eval/evaluator.h"
#include "reference/worker/output_judge.h"

namespace opbyop::reference {

struct ProductLimits {
  double checksum_products = 0x1p37;  // multiply-adds that all checksums take; more rows share one to stay below
  double exact_products = 0x1p34;     // that suspicious elements take
  int64_t fewest_rows = 16;           // of a checksum
  int64_t integer_rows = 256;         // fewest rows of a checksum of integers
  int64_t sampled_rows = 48;          // of a block of the product
  int64_t sampled_columns = 96;
  int64_t sampled_blocks = 4;  // where it has batching dimensions
};

// True if the entry function returns one dot_general, dot or convolution of two of its arguments, all of floats narrower
// than f64 or all of integers.
bool IsProduct(mlir::Operation* entry);

// The sums of such an op.
Expected<DotSums> SumsOfEntry(const OpContext& context);

// `entry` is such a function; `bytes` is the device's output in stored form. `seed` fixes the places of the sample and
// the signs. Returns kBadInput if the output has another shape or size, and the evaluator's errors.
Expected<Comparison> JudgeProduct(mlir::Operation* entry, Evaluator& evaluator, const Values& arguments,
                                  const Shape& shape, std::span<const std::byte> bytes, const OutputCriteria& criteria,
                                  std::span<const Alternative> alternatives, uint64_t seed,
                                  const ProductLimits& limits = {});

// Positions of a dimension: first, last, both sides of multiples of 8, 16, 32 and 128, then random ones; sorted, at most
// `count`.
std::vector<int64_t> StratifiedPositions(int64_t extent, int64_t count, uint64_t seed);
// The same of several dimensions, as row-major positions: the corners, then such positions of each dimension together.
std::vector<int64_t> StratifiedPlaces(const Shape& extents, int64_t count, uint64_t seed);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_PRODUCT_JUDGE_H_
