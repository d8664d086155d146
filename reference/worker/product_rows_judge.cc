// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/product_rows_judge.h"

#include <algorithm>
#include <utility>

#include "reference/eval/contraction.h"
#include "reference/worker/entry_op.h"
#include "reference/worker/product_judge.h"
#include "reference/worker/rows_comparison.h"

namespace opbyop::reference {
namespace {

// Whether the elements of the result are those of the blocks, one after the other, each in row-major order.
bool IsRowMajor(const Contraction& x) {
  const auto each = static_cast<int64_t>(x.row_places.size() * x.column_places.size());
  for (size_t b = 0; b < x.blocks.size(); ++b) {
    if (x.blocks[b].result_base != static_cast<int64_t>(b) * each) return false;
  }
  return HasRowMajorBlocks(x);
}

}  // namespace

std::optional<Comparison> JudgeProductByRows(mlir::Operation* entry, Evaluator& evaluator, const Values& arguments,
                                             std::span<const std::byte> bytes, const CompareOptions& options,
                                             const ProductRowsLimits& limits) {
  const EvalOptions& by = evaluator.options();
  if (!by.bounds || by.provenance || by.observe) return std::nullopt;
  const Expected<EntryOp> product = EntryOp::Of(entry, arguments, evaluator);
  if (!product) return std::nullopt;
  const OpContext context = product->In(evaluator);
  Expected<DotSums> sums = SumsOfEntry(context);
  const Expected<ElementType> type = context.ResultType();
  if (!sums || !type || KindOf(*type) != ElementKind::kFloat || SizeOf(sums->shape) < limits.fewest) {
    return std::nullopt;
  }
  Contraction& x = sums->contraction;
  // Operands of another kind, or with errors that the precision of the product causes, would be converted as a whole
  // for each part.
  const bool as_they_are = KindOf(x.lhs.type()) == KindOf(*type) && KindOf(x.rhs.type()) == KindOf(*type) &&
                           !x.precision.lhs && !x.precision.rhs;
  if (!as_they_are || !IsRowMajor(x)) return std::nullopt;
  x.lhs_facts = FactsOf(x.lhs);
  x.rhs_facts = FactsOf(x.rhs);
  const auto m = static_cast<int64_t>(x.row_places.size()), n = static_cast<int64_t>(x.column_places.size());
  const int64_t rows = std::max(limits.part / n, limits.rows);
  RowsComparison comparison(*type, sums->shape, bytes, options);
  const Offsets all_rows = std::move(x.lhs_outer), all_places = std::move(x.row_places);
  const std::vector<ContractionBlock> blocks = std::move(x.blocks);
  for (const ContractionBlock& block : blocks) {
    for (int64_t first = 0; first < m; first += rows) {
      const int64_t count = std::min(rows, m - first);
      Contraction part = x;
      part.lhs_outer.assign(all_rows.begin() + first, all_rows.begin() + first + count);
      part.row_places.assign(all_places.begin(), all_places.begin() + count);
      part.blocks = {{block.lhs_base, block.rhs_base, 0}};
      const Expected<Tensor> expected = Contract(context, std::move(part), *type, {count, n});
      if (!expected || !comparison.Add(*expected)) return std::nullopt;
    }
  }
  return comparison.Finish();
}

}  // namespace opbyop::reference
