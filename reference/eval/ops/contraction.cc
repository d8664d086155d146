// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// dot_general, dot.
#include "reference/eval/contraction.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "ir/stablehlo/stablehlo.h"
#include "reference/eval/dot.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {
namespace {

struct Picked {
  std::vector<int64_t> extents, strides;
};

Picked Pick(const Tensor& t, const std::vector<int64_t>& dims) {
  const Shape strides = StridesOf(t.shape());
  Picked picked;
  for (const int64_t d : dims) {
    picked.extents.push_back(t.dim(d));
    picked.strides.push_back(strides[static_cast<size_t>(d)]);
  }
  return picked;
}

// Orders contracted dimensions as they lie in `leading`, its contiguous one last: a sum whose next term is megabytes away
// costs many times its arithmetic.
void OrderAsIn(const std::vector<int64_t>& leading, Picked& lhs, Picked& rhs) {
  std::vector<size_t> order(leading.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, std::greater{}, [&](size_t i) { return std::pair(leading[i], i); });
  const Picked unordered[] = {lhs, rhs};
  for (size_t i = 0; i < order.size(); ++i) {
    lhs.extents[i] = rhs.extents[i] = unordered[0].extents[order[i]];
    lhs.strides[i] = unordered[0].strides[order[i]];
    rhs.strides[i] = unordered[1].strides[order[i]];
  }
}

std::vector<int64_t> Rest(const Tensor& t, const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  std::vector<int64_t> rest;
  for (int64_t d = 0; d < t.rank(); ++d) {
    if (std::ranges::find(a, d) == a.end() && std::ranges::find(b, d) == b.end()) rest.push_back(d);
  }
  return rest;
}

Expected<Values> Product(OpContext& context) {
  Expected<DotSums> sums = SumsOfProduct(context);
  if (!sums) return Unexpected(sums.error());
  const Expected<ElementType> type = context.ResultType();
  if (!type) return Unexpected(type.error());
  Expected<Tensor> out = Contract(context, std::move(sums->contraction), *type, std::move(sums->shape));
  if (!out) return Unexpected(out.error());
  return Values{std::move(*out)};
}

}  // namespace

Expected<DotSums> SumsOfProduct(const OpContext& context) {
  const Tensor& lhs = context.in(0);
  const Tensor& rhs = context.in(1);
  const auto numbers = context.op->getAttrOfType<stablehlo::DotDimensionNumbersAttr>("dot_dimension_numbers");
  if (!numbers) return SumsOf(context, lhs, rhs, {{}, {}, {lhs.rank() - 1}, {0}});
  return SumsOf(context, lhs, rhs,
                {numbers.getLhsBatchingDimensions().vec(), numbers.getRhsBatchingDimensions().vec(),
                 numbers.getLhsContractingDimensions().vec(), numbers.getRhsContractingDimensions().vec()},
                PrecisionOf(context.op, lhs.type(), rhs.type()));
}

Expected<Tensor> DotOf(const OpContext& context, const Tensor& lhs, const Tensor& rhs, const DotDimensions& dims,
                       const ProductPrecision& precision) {
  const Expected<ElementType> type = context.ResultType();
  if (!type) return Unexpected(type.error());
  Expected<DotSums> sums = SumsOf(context, lhs, rhs, dims, precision);
  if (!sums) return Unexpected(sums.error());
  return Contract(context, std::move(sums->contraction), *type, std::move(sums->shape));
}

Expected<DotSums> SumsOf(const OpContext& context, const Tensor& lhs, const Tensor& rhs, const DotDimensions& dims,
                         const ProductPrecision& precision) {
  const Picked lhs_batch = Pick(lhs, dims.lhs_batch);
  const Picked rhs_batch = Pick(rhs, dims.rhs_batch);
  const Picked lhs_free = Pick(lhs, Rest(lhs, dims.lhs_batch, dims.lhs_contract));
  const Picked rhs_free = Pick(rhs, Rest(rhs, dims.rhs_batch, dims.rhs_contract));
  Picked lhs_contract = Pick(lhs, dims.lhs_contract);
  Picked rhs_contract = Pick(rhs, dims.rhs_contract);
  if (lhs_batch.extents != rhs_batch.extents || lhs_contract.extents != rhs_contract.extents) {
    return context.Fail(ExitCode::kBadInput, "batching or contracting dimensions of different sizes");
  }
  OrderAsIn(Shape(lhs.size() >= rhs.size() ? lhs_contract.strides : rhs_contract.strides), lhs_contract, rhs_contract);
  Shape shape = lhs_batch.extents;
  shape.insert(shape.end(), lhs_free.extents.begin(), lhs_free.extents.end());
  shape.insert(shape.end(), rhs_free.extents.begin(), rhs_free.extents.end());

  Contraction contraction{.lhs = lhs, .rhs = rhs};
  contraction.lhs_outer = OffsetsOf(lhs_free.extents, lhs_free.strides);
  contraction.rhs_outer = OffsetsOf(rhs_free.extents, rhs_free.strides);
  contraction.lhs_inner = OffsetsOf(lhs_contract.extents, lhs_contract.strides);
  contraction.rhs_inner = OffsetsOf(rhs_contract.extents, rhs_contract.strides);
  const auto m = static_cast<int64_t>(contraction.lhs_outer.size());
  const auto n = static_cast<int64_t>(contraction.rhs_outer.size());
  contraction.row_places = OffsetsOf({m}, {n});
  contraction.column_places = OffsetsOf({n}, {1});
  const Offsets lhs_bases = OffsetsOf(lhs_batch.extents, lhs_batch.strides);
  const Offsets rhs_bases = OffsetsOf(rhs_batch.extents, rhs_batch.strides);
  for (size_t b = 0; b < lhs_bases.size(); ++b) {
    contraction.blocks.push_back({lhs_bases[b], rhs_bases[b], static_cast<int64_t>(b) * m * n});
  }
  contraction.precision = precision;
  return DotSums{std::move(contraction), std::move(shape)};
}

void AddContractions(EvalTableType& table) {
  table["stablehlo.dot_general"] = &Product;
  table["stablehlo.dot"] = &Product;
  AddRaggedDot(table);
  AddEinsum(table);
}

}  // namespace opbyop::reference
