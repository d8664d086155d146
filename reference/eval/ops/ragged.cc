// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// chlo.ragged_dot: a matrix product whose rows, terms or batches fall into groups of given sizes.
#include <algorithm>
#include <numeric>

#include "ir/chlo/chlo.h"
#include "reference/eval/dot.h"
#include "reference/eval/elementwise_program.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/movement.h"
#include "reference/eval/ops/inexact_indices.h"

namespace opbyop::reference {
namespace {

struct Range {
  int64_t from, to;
};

// Group sizes as [batches, groups]. A single row of sizes applies to all batches.
struct Groups {
  explicit Groups(const Tensor& t) : sizes(t.Integers()), count(t.rank() == 0 ? 1 : t.shape().back()) {
    batches = count == 0 ? 1 : std::max<int64_t>(t.size() / count, 1);
  }

  // The positions of group g in batch b, of `extent` in all. Sizes are computed by the program: a negative size gives a
  // group without elements, never one outside of the tensor.
  Range Of(int64_t b, int64_t g, int64_t extent) const {
    int64_t start = 0;
    const int64_t* row = sizes.data() + b % batches * count;
    for (int64_t i = 0; i < g; ++i) start += row[i];
    const int64_t from = std::clamp(start, int64_t{0}, extent);
    return {from, g == count ? from : std::clamp(start + row[g], from, extent)};
  }

  std::vector<int64_t> sizes;
  int64_t count, batches = 1;
};

// All batches, which have the same groups.
constexpr int64_t kAllBatches = -1;

// A part of a tensor: a range of positions of one dimension, of one batch or of all.
struct Part {
  Part(const Tensor& t, const std::vector<int64_t>& batch_dims, int64_t batch, int64_t dimension, const Range& range)
      : Part(t.shape(), batch_dims, batch, dimension, range) {}
  Part(Shape shape, const std::vector<int64_t>& batch_dims, int64_t batch, int64_t dimension, const Range& range)
      : extents(std::move(shape)), strides(StridesOf(extents)) {
    for (size_t i = batch == kAllBatches ? 0 : batch_dims.size(); i-- > 0;) {
      const auto d = static_cast<size_t>(batch_dims[i]);
      base += batch % extents[d] * strides[d];
      batch /= extents[d];
      extents[d] = 1;
    }
    base += range.from * strides[static_cast<size_t>(dimension)];
    extents[static_cast<size_t>(dimension)] = range.to - range.from;
  }

  void Drop(int64_t dimension) {
    extents.erase(extents.begin() + dimension);
    strides.erase(strides.begin() + dimension);
  }

  Tensor Of(const Tensor& t) const { return StridedView(t, extents, strides, base); }

  // Copies `part` to this place of the result.
  void Set(const Tensor& part, Move& result) const {
    result.Copy(part, part.shape(), StridesOf(part.shape()), 0, strides, base);
  }

  Shape extents, strides;
  int64_t base = 0;
};

Expected<Values> RaggedDot(OpContext& context) {
  const std::optional<chlo::RaggedNumbers> numbers =
      chlo::RaggedNumbersOf(NativeAttributeOf(context.op, chlo::kRaggedNumbers));
  if (!numbers || numbers->lhs_ragged.size() != 1) return context.Unsupported("chlo.ragged_dot of this form");
  const Expected<ElementType> type = context.ResultType();
  const Expected<Shape> shape = context.ResultShape();
  if (!type || !shape) return Unexpected(type ? shape.error() : type.error());
  const Tensor& lhs = context.in(0);
  const Tensor& rhs = context.in(1);
  const Groups groups(context.in(2));
  const int64_t ragged = numbers->lhs_ragged[0];
  const int64_t extent = lhs.dim(ragged);
  DotDimensions dims{numbers->lhs_batching, numbers->rhs_batching, numbers->lhs_contracting, numbers->rhs_contracting};
  const auto rank = static_cast<int64_t>(dims.lhs_batch.size());
  Move result(Tensor::Zeros(*type, *shape));

  const auto batching = std::ranges::find(dims.lhs_batch, ragged);
  if (batching != dims.lhs_batch.end()) {
    // The batches are divided into groups: those in no group are zero.
    Expected<Tensor> product = DotOf(context, lhs, rhs, dims);
    if (!product) return Unexpected(product.error());
    const Part grouped(*product, {}, kAllBatches, batching - dims.lhs_batch.begin(),
                       {0, groups.Of(0, groups.count, extent).to});
    grouped.Set(grouped.Of(*product), result);
    return Values{result.Take()};
  }

  std::vector<int64_t> batches = {kAllBatches};
  if (groups.batches > 1) {
    int64_t count = 1;
    for (const int64_t d : dims.lhs_batch) count *= lhs.dim(d);
    batches.resize(static_cast<size_t>(count));
    std::iota(batches.begin(), batches.end(), 0);
  }
  std::vector<int64_t> result_batch(static_cast<size_t>(rank));
  std::iota(result_batch.begin(), result_batch.end(), 0);

  const auto contracting = std::ranges::find(dims.lhs_contract, ragged);
  if (contracting != dims.lhs_contract.end()) {
    // The terms are divided into groups: one product per group, stacked along a new first dimension.
    const int64_t rhs_ragged = dims.rhs_contract[static_cast<size_t>(contracting - dims.lhs_contract.begin())];
    for (int64_t& d : result_batch) ++d;
    for (const int64_t b : batches) {
      for (int64_t g = 0; g < groups.count; ++g) {
        const Range range = groups.Of(std::max<int64_t>(b, 0), g, extent);
        if (range.from == range.to) continue;
        Expected<Tensor> product = DotOf(context, Part(lhs, dims.lhs_batch, b, ragged, range).Of(lhs),
                                         Part(rhs, dims.rhs_batch, b, rhs_ragged, range).Of(rhs), dims);
        if (!product) return Unexpected(product.error());
        Part place(*shape, result_batch, b, 0, {g, g + 1});
        place.Drop(0);
        place.Set(*product, result);
      }
    }
    return Values{result.Take()};
  }

  // The rows are divided into groups, each with its own right-hand side.
  if (numbers->rhs_group.size() != 1) return context.Fail(ExitCode::kBadInput, "rhs has no group dimension");
  const int64_t group = numbers->rhs_group[0];
  const std::vector<int64_t> grouped_batch = dims.rhs_batch;
  for (auto* list : {&dims.rhs_batch, &dims.rhs_contract}) {
    for (int64_t& d : *list) d -= d > group ? 1 : 0;
  }
  int64_t row = rank;
  for (int64_t d = 0; d < ragged; ++d) {
    const bool free = std::ranges::find(dims.lhs_batch, d) == dims.lhs_batch.end() &&
                      std::ranges::find(dims.lhs_contract, d) == dims.lhs_contract.end();
    row += free ? 1 : 0;
  }
  for (const int64_t b : batches) {
    for (int64_t g = 0; g < groups.count; ++g) {
      const Range range = groups.Of(std::max<int64_t>(b, 0), g, extent);
      if (range.from == range.to) continue;
      Part right(rhs, grouped_batch, b, group, {g, g + 1});
      right.Drop(group);
      Expected<Tensor> product =
          DotOf(context, Part(lhs, dims.lhs_batch, b, ragged, range).Of(lhs), right.Of(rhs), dims);
      if (!product) return Unexpected(product.error());
      Part(*shape, result_batch, b, row, range).Set(*product, result);
    }
  }
  return Values{result.Take()};
}

Expected<Values> RaggedDotOfGroups(OpContext& context) {
  Expected<Values> results = RaggedDot(context);
  if (results && context.bounds()) OpenIfIndicesAreInexact(context, *results);
  return results;
}

}  // namespace

void AddRaggedDot(EvalTableType& table) { table["chlo.ragged_dot"] = &RaggedDotOfGroups; }

}  // namespace opbyop::reference
