// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that move elements without computing on them.
#include "reference/eval/movement.h"

#include <algorithm>
#include <numeric>

#include "reference/eval/evaluator.h"
#include "reference/eval/ops/inexact_indices.h"

namespace opbyop::reference {
namespace {

Expected<Values> Broadcast(OpContext& context) {
  const Expected<Shape> shape = context.ResultShape();
  if (!shape) return Unexpected(shape.error());
  return Values{BroadcastInDim(context.in(0), *shape, context.Ints("broadcast_dimensions"))};
}

// The deprecated op `broadcast` adds new dimensions in front.
Expected<Values> BroadcastFront(OpContext& context) {
  const Tensor& x = context.in(0);
  Shape shape = context.Ints("broadcast_sizes");
  std::vector<int64_t> dims(x.shape().size());
  std::iota(dims.begin(), dims.end(), static_cast<int64_t>(shape.size()));
  shape.insert(shape.end(), x.shape().begin(), x.shape().end());
  return Values{BroadcastInDim(x, std::move(shape), dims)};
}

Expected<Values> Reshape(OpContext& context) {
  Expected<Shape> shape = context.ResultShape();
  if (!shape) return Unexpected(shape.error());
  if (SizeOf(*shape) != context.in(0).size()) return context.Fail(ExitCode::kBadInput, "the sizes differ");
  return Values{context.in(0).Reshaped(std::move(*shape))};
}

Expected<Values> TransposeOp(OpContext& context) {
  return Values{Transpose(context.in(0), context.Ints("permutation"))};
}

Tensor SliceOf(const Tensor& x, const std::vector<int64_t>& start, const std::vector<int64_t>& limit,
               const std::vector<int64_t>& step) {
  const Shape in_strides = StridesOf(x.shape());
  Shape shape;
  Shape strides;
  int64_t base = 0;
  for (size_t d = 0; d < start.size(); ++d) {
    shape.push_back(std::max<int64_t>(0, (limit[d] - start[d] + step[d] - 1) / step[d]));
    strides.push_back(in_strides[d] * step[d]);
    base += start[d] * in_strides[d];
  }
  return StridedView(x, std::move(shape), strides, base);
}

Expected<Values> Slice(OpContext& context) {
  return Values{
      SliceOf(context.in(0), context.Ints("start_indices"), context.Ints("limit_indices"), context.Ints("strides"))};
}

Expected<Values> RealDynamicSlice(OpContext& context) {
  return Values{SliceOf(context.in(0), context.in(1).Integers(), context.in(2).Integers(), context.in(3).Integers())};
}

// Returns the start indices of dynamic_slice and dynamic_update_slice, clamped so that the slice fits.
std::vector<int64_t> ClampedStart(const OpContext& context, size_t first, const Shape& shape, const Shape& sizes) {
  std::vector<int64_t> start;
  start.reserve(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) start.push_back(ClampedIndex(context.in(first + d), shape[d] - sizes[d]));
  return start;
}

Expected<Values> DynamicSlice(OpContext& context) {
  const Tensor& x = context.in(0);
  const Shape sizes = context.Ints("slice_sizes");
  const std::vector<int64_t> start = ClampedStart(context, 1, x.shape(), sizes);
  const Shape strides = StridesOf(x.shape());
  int64_t base = 0;
  for (size_t d = 0; d < start.size(); ++d) base += start[d] * strides[d];
  return Values{StridedView(x, sizes, strides, base)};
}

Expected<Values> DynamicUpdateSlice(OpContext& context) {
  const Tensor& update = context.in(1);
  const Shape strides = StridesOf(context.in(0).shape());
  const std::vector<int64_t> start = ClampedStart(context, 2, context.in(0).shape(), update.shape());
  int64_t base = 0;
  for (size_t d = 0; d < start.size(); ++d) base += start[d] * strides[d];
  Move move(context.in(0));
  move.Copy(update, update.shape(), StridesOf(update.shape()), 0, strides, base);
  return Values{move.Take()};
}

Expected<Values> Concatenate(OpContext& context) {
  const auto d = static_cast<size_t>(context.Int("dimension"));
  Shape shape = context.in(0).shape();
  for (size_t i = 1; i < context.size(); ++i) shape[d] += context.in(i).shape()[d];
  const Shape strides = StridesOf(shape);
  Move move(context.in(0).type(), shape);
  int64_t at = 0;
  for (size_t i = 0; i < context.size(); ++i) {
    const Tensor& x = context.in(i);
    move.Copy(x, x.shape(), StridesOf(x.shape()), 0, strides, at * strides[d]);
    at += x.shape()[d];
  }
  return Values{move.Take()};
}

Expected<Values> PadOp(OpContext& context) {
  return Values{Pad(context.in(0), context.in(1), context.Ints("edge_padding_low"), context.Ints("edge_padding_high"),
                    context.Ints("interior_padding"))};
}

Expected<Values> Reverse(OpContext& context) {
  const Tensor& x = context.in(0);
  if (x.size() == 0) return Values{x};
  Shape strides = StridesOf(x.shape());
  int64_t base = 0;
  for (const int64_t d : context.Ints("dimensions")) {
    auto& stride = strides[static_cast<size_t>(d)];
    base += stride * (x.dim(d) - 1);
    stride = -stride;
  }
  return Values{StridedView(x, x.shape(), strides, base)};
}

}  // namespace

void AddDataMovement(EvalTableType& table) {
  table["stablehlo.broadcast_in_dim"] = &Broadcast;
  table["stablehlo.broadcast"] = &BroadcastFront;
  table["stablehlo.reshape"] = &Reshape;
  table["stablehlo.transpose"] = &TransposeOp;
  table["stablehlo.slice"] = &Slice;
  table["stablehlo.real_dynamic_slice"] = &RealDynamicSlice;
  table["stablehlo.dynamic_slice"] = &AtInexactIndices<&DynamicSlice>;
  table["stablehlo.dynamic_update_slice"] = &AtInexactIndices<&DynamicUpdateSlice>;
  table["stablehlo.concatenate"] = &Concatenate;
  table["stablehlo.pad"] = &PadOp;
  table["stablehlo.reverse"] = &Reverse;
}

}  // namespace opbyop::reference
