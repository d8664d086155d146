// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// chlo.ragged_dot: a matrix product whose rows, terms or batches fall into groups of given sizes.
#include <algorithm>

#include "ir/chlo/chlo.h"
#include "reference/eval/dot.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/movement.h"

namespace opbyop::reference {
namespace {

// Group sizes as [batches, groups]. A single row of sizes applies to all batches.
struct Groups {
  std::vector<int64_t> sizes;
  int64_t batches = 1, groups = 0;

  // Returns the first position of group g in batch b. For g == groups it is the end of the last group.
  int64_t Start(int64_t b, int64_t g) const {
    int64_t start = 0;
    for (int64_t i = 0; i < g; ++i) start += sizes[static_cast<size_t>(b % batches * groups + i)];
    return start;
  }
};

// Calls fn(batch, offset of its first element in `t`) for every batch.
template <typename Fn>
void ForBatches(const Tensor& t, const std::vector<int64_t>& batch_dims, Fn&& fn) {
  const Shape strides = StridesOf(t.shape());
  int64_t count = 1;
  for (const int64_t d : batch_dims) count *= t.dim(d);
  for (int64_t b = 0; b < count; ++b) {
    int64_t rest = b;
    int64_t base = 0;
    for (size_t i = batch_dims.size(); i-- > 0;) {
      const int64_t d = batch_dims[i];
      base += rest % t.dim(d) * strides[static_cast<size_t>(d)];
      rest /= t.dim(d);
    }
    fn(b, base);
  }
}

// Returns `target` with the elements of `source` at those positions of `dimension` that are in group `g`, or in any
// group if g < 0.
Tensor TakeGroup(const Tensor& target, const Tensor& source, const std::vector<int64_t>& batch_dims, int64_t dimension,
                 const Groups& groups, int64_t g) {
  Move move(target);
  const Shape strides = StridesOf(source.shape());
  ForBatches(source, batch_dims, [&](int64_t b, int64_t base) {
    const int64_t extent = source.dim(dimension);
    // Sizes are computed by the program. A negative size gives a group without elements, never one outside of the
    // tensor.
    const int64_t from = g < 0 ? 0 : std::clamp(groups.Start(b, g), int64_t{0}, extent);
    const int64_t to = std::clamp(groups.Start(b, g < 0 ? groups.groups : g + 1), from, extent);
    Shape extents = source.shape();
    for (const int64_t d : batch_dims) extents[static_cast<size_t>(d)] = 1;
    extents[static_cast<size_t>(dimension)] = to - from;
    base += from * strides[static_cast<size_t>(dimension)];
    move.Copy(source, extents, strides, base, strides, base);
  });
  return move.Take();
}

Tensor DropDimension(const Tensor& t, int64_t dimension, int64_t at) {
  Shape shape = t.shape();
  Shape strides = StridesOf(shape);
  const int64_t base = at * strides[static_cast<size_t>(dimension)];
  shape.erase(shape.begin() + dimension);
  strides.erase(strides.begin() + dimension);
  return StridedView(t, shape, strides, base);
}

Expected<Values> RaggedDot(OpContext& context) {
  const auto numbers = context.op->getAttrOfType<chlo::RaggedDotDimensionNumbersAttr>("ragged_dot_dimension_numbers");
  if (!numbers || numbers.getLhsRaggedDimensions().size() != 1)
    return context.Unsupported("chlo.ragged_dot of this form");
  const Tensor& lhs = context.in(0);
  const Tensor& rhs = context.in(1);
  Groups groups{context.in(2).Integers()};
  groups.groups = context.in(2).rank() == 0 ? 1 : context.in(2).shape().back();
  groups.batches = groups.groups == 0 ? 1 : std::max<int64_t>(context.in(2).size() / groups.groups, 1);
  const int64_t ragged = numbers.getLhsRaggedDimensions()[0];
  DotDimensions dims{numbers.getLhsBatchingDimensions().vec(), numbers.getRhsBatchingDimensions().vec(),
                     numbers.getLhsContractingDimensions().vec(), numbers.getRhsContractingDimensions().vec()};
  const auto batches = static_cast<int64_t>(dims.lhs_batch.size());
  std::vector<int64_t> result_batch;
  for (int64_t d = 0; d < batches; ++d) result_batch.push_back(d);

  const auto contracting = std::ranges::find(dims.lhs_contract, ragged);
  if (contracting != dims.lhs_contract.end()) {
    // The terms are divided into groups: one product per group, stacked along a new first dimension.
    const int64_t rhs_ragged = dims.rhs_contract[static_cast<size_t>(contracting - dims.lhs_contract.begin())];
    std::vector<Tensor> products;
    for (int64_t g = 0; g < groups.groups; ++g) {
      const Tensor left = TakeGroup(Tensor::Zeros(lhs.type(), lhs.shape()), lhs, dims.lhs_batch, ragged, groups, g);
      const Tensor right =
          TakeGroup(Tensor::Zeros(rhs.type(), rhs.shape()), rhs, dims.rhs_batch, rhs_ragged, groups, g);
      Expected<Tensor> product = DotOf(context, left, right, dims);
      if (!product) return Unexpected(product.error());
      products.push_back(std::move(*product));
    }
    if (products.empty()) return context.Unsupported("chlo.ragged_dot without groups");
    Shape shape = products[0].shape();
    const int64_t size = products[0].size();
    shape.insert(shape.begin(), groups.groups);
    Move move(products[0].type(), shape);
    for (int64_t g = 0; g < groups.groups; ++g) {
      move.Copy(products[static_cast<size_t>(g)], {size}, {1}, 0, {1}, g * size);
    }
    return Values{move.Take()};
  }
  const auto batching = std::ranges::find(dims.lhs_batch, ragged);
  if (batching != dims.lhs_batch.end()) {
    // The batches are divided into groups: computes all batches that are in any group.
    Expected<Tensor> product = DotOf(context, lhs, rhs, dims);
    if (!product) return Unexpected(product.error());
    const int64_t place = batching - dims.lhs_batch.begin();
    return Values{TakeGroup(Tensor::Zeros(product->type(), product->shape()), *product, {}, place, groups, -1)};
  }
  // The rows are divided into groups, each with its own right-hand side.
  if (numbers.getRhsGroupDimensions().size() != 1)
    return context.Fail(ExitCode::kBadInput, "rhs has no group dimension");
  const int64_t group_dimension = numbers.getRhsGroupDimensions()[0];
  for (auto* list : {&dims.rhs_batch, &dims.rhs_contract}) {
    for (int64_t& d : *list) d -= d > group_dimension ? 1 : 0;
  }
  int64_t place = batches;
  for (int64_t d = 0; d < ragged; ++d) {
    const bool free = std::ranges::find(dims.lhs_batch, d) == dims.lhs_batch.end() &&
                      std::ranges::find(dims.lhs_contract, d) == dims.lhs_contract.end();
    place += free ? 1 : 0;
  }
  Tensor result;
  for (int64_t g = 0; g < groups.groups; ++g) {
    Expected<Tensor> product = DotOf(context, lhs, DropDimension(rhs, group_dimension, g), dims);
    if (!product) return Unexpected(product.error());
    if (g == 0) result = Tensor::Zeros(product->type(), product->shape());
    result = TakeGroup(result, *product, result_batch, place, groups, g);
  }
  return Values{std::move(result)};
}

}  // namespace

void AddRaggedDot(EvalTableType& table) { table["chlo.ragged_dot"] = &RaggedDot; }

}  // namespace opbyop::reference
