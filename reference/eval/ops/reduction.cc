// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// reduce with any region. Elements are combined in index order.
#include <algorithm>

#include "reference/eval/evaluator.h"
#include "reference/eval/movement.h"
#include "reference/eval/ops/fold.h"

namespace opbyop::reference {
namespace {

// Returns the operand as a matrix [outer, reduced], with kept dimensions first. Shares the elements if they already
// have this order.
Tensor AsRows(const Tensor& x, const std::vector<int64_t>& kept, const std::vector<int64_t>& reduced) {
  std::vector<int64_t> permutation = kept;
  permutation.insert(permutation.end(), reduced.begin(), reduced.end());
  return std::ranges::is_sorted(permutation) ? x : Transpose(x, permutation);
}

Expected<Values> Reduce(OpContext& context) {
  const size_t n = context.size() / 2;
  const std::vector<int64_t> reduced = context.Ints("dimensions");
  const Tensor& first = context.in(0);
  std::vector<int64_t> kept;
  Shape shape;
  for (int64_t d = 0; d < first.rank(); ++d) {
    if (std::ranges::find(reduced, d) != reduced.end()) continue;
    kept.push_back(d);
    shape.push_back(first.dim(d));
  }
  std::vector<int64_t> sorted = reduced;
  std::ranges::sort(sorted);
  const int64_t outer = SizeOf(shape);
  int64_t count = 1;
  for (const int64_t d : sorted) count *= first.dim(d);

  std::vector<Tensor> rows;
  std::vector<Tensor> inits;
  for (size_t i = 0; i < n; ++i) {
    rows.push_back(AsRows(PromotedOperand(context, i), kept, sorted));
    inits.push_back(PromotedOperand(context, n + i));
  }
  Expected<std::vector<Tensor>> results =
      FoldRows(context, context.op->getRegion(0), std::move(rows), inits, outer, count);
  if (!results) return Unexpected(results.error());
  Values out;
  for (Tensor& t : *results) out.emplace_back(t.Reshaped(shape));
  return out;
}

}  // namespace

void AddReductions(EvalTableType& table) { table["stablehlo.reduce"] = &Reduce; }

}  // namespace opbyop::reference
