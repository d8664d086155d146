// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// gather, dynamic_gather, torch_index_select.
#include <algorithm>
#include <vector>

#include "ir/stablehlo/stablehlo.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/movement.h"
#include "reference/eval/ops/inexact_indices.h"
#include "reference/eval/shape_check.h"
#include "reference/tensor/index_map.h"

namespace opbyop::reference {
namespace {

Expected<Values> GatherWith(OpContext& context, const Shape& slice_sizes) {
  const Tensor& operand = context.in(0);
  const Tensor& indices = context.in(1);
  const auto numbers = context.op->getAttrOfType<stablehlo::GatherDimensionNumbersAttr>("dimension_numbers");
  const auto contains = [](llvm::ArrayRef<int64_t> list, int64_t d) { return llvm::is_contained(list, d); };
  IndexMap map{numbers.getStartIndexMap(), numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims(),
               numbers.getIndexVectorDim()};

  // Result shape: batch dimensions of the indices and window dimensions, interleaved by offset_dims.
  Shape batch_shape = map.BatchShape(indices.shape());
  Shape window;
  Shape window_from_strides;
  const Shape operand_strides = StridesOf(operand.shape());
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (contains(numbers.getCollapsedSliceDims(), d) || contains(numbers.getOperandBatchingDims(), d)) continue;
    window.push_back(slice_sizes[static_cast<size_t>(d)]);
    window_from_strides.push_back(operand_strides[static_cast<size_t>(d)]);
  }
  const auto rank = static_cast<int64_t>(batch_shape.size() + window.size());
  Shape shape;
  std::vector<int64_t> window_dims;
  std::vector<int64_t> batch_dims;
  for (int64_t d = 0; d < rank; ++d) {
    if (contains(numbers.getOffsetDims(), d)) {
      shape.push_back(window[window_dims.size()]);
      window_dims.push_back(d);
    } else {
      if (batch_dims.size() >= batch_shape.size()) return context.Fail(ExitCode::kBadInput, "offset_dims do not fit");
      shape.push_back(batch_shape[batch_dims.size()]);
      batch_dims.push_back(d);
    }
  }
  const Shape strides = StridesOf(shape);
  Shape window_to_strides;
  for (const int64_t d : window_dims) window_to_strides.push_back(strides[static_cast<size_t>(d)]);

  Move move(operand.type(), shape);
  std::vector<Move::Place> places;
  places.reserve(static_cast<size_t>(SizeOf(batch_shape)));
  map.ForEach(indices, operand.shape(), [&](const Shape& batch_index, Shape& start) {
    int64_t to = 0;
    for (size_t b = 0; b < batch_index.size(); ++b) to += batch_index[b] * strides[static_cast<size_t>(batch_dims[b])];
    int64_t from = 0;
    for (size_t d = 0; d < start.size(); ++d) {
      from += std::clamp<int64_t>(start[d], 0, operand.shape()[d] - slice_sizes[d]) * operand_strides[d];
    }
    places.push_back({from, to});
  });
  move.CopyEach(operand, {window, window_from_strides, window_to_strides}, places);
  return Values{move.Take()};
}

Expected<Values> Gather(OpContext& context) { return GatherWith(context, context.Ints("slice_sizes")); }
Expected<Values> DynamicGather(OpContext& context) {
  const Expected<Shape> sizes = ShapeAt(context, 2);
  return sizes ? GatherWith(context, *sizes) : Unexpected(sizes.error());
}

// result[batch..., before..., index..., after...] = operand[..., index[...], ...]
Expected<Values> TorchIndexSelect(OpContext& context) {
  const Tensor& operand = context.in(0);
  const Tensor& index = context.in(1);
  const auto dim = static_cast<size_t>(context.Int("dim"));
  const auto batch = static_cast<size_t>(context.Int("batch_dims"));
  const Shape& in = operand.shape();
  Shape shape(in.begin(), in.begin() + static_cast<int64_t>(dim));
  shape.insert(shape.end(), index.shape().begin() + static_cast<int64_t>(batch), index.shape().end());
  shape.insert(shape.end(), in.begin() + static_cast<int64_t>(dim) + 1, in.end());
  const auto product = [](const Shape& s, size_t from, size_t to) {
    int64_t n = 1;
    for (size_t i = from; i < to; ++i) n *= s[i];
    return n;
  };
  const int64_t batches = product(in, 0, batch);
  const int64_t middle = product(in, batch, dim);
  const int64_t inner = product(in, dim + 1, in.size());
  const int64_t picks = product(index.shape(), batch, index.shape().size());
  Move move(operand.type(), shape);
  std::vector<Move::Place> places;
  places.reserve(static_cast<size_t>(batches * middle * picks));
  for (int64_t b = 0; b < batches; ++b) {
    for (int64_t m = 0; m < middle; ++m) {
      for (int64_t p = 0; p < picks; ++p) {
        const int64_t at = std::clamp<int64_t>(index.IntegerAt(b * picks + p), 0, in[dim] - 1);
        places.push_back({((b * middle + m) * in[dim] + at) * inner, ((b * middle + m) * picks + p) * inner});
      }
    }
  }
  move.CopyEach(operand, {{inner}, {1}, {1}}, places);
  return Values{move.Take()};
}

}  // namespace

void AddIndexing(EvalTableType& table) {
  table["stablehlo.gather"] = &AtInexactIndices<&Gather>;
  table["stablehlo.dynamic_gather"] = &AtInexactIndices<&DynamicGather>;
  table["stablehlo.torch_index_select"] = &AtInexactIndices<&TorchIndexSelect>;
}

}  // namespace opbyop::reference
