// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/movement.h"

#include <algorithm>

#include "reference/bounds/bound.h"

namespace opbyop::reference {

Move::Move(Tensor base) : out_(std::move(base)) {
  if (!out_.bound()) return;
  if (out_.bound()->size == 0) {
    rule_ = out_.bound();
    return;
  }
  errors_ = std::make_shared<Bound>(*out_.bound());
  errors_->values = Buffer(static_cast<size_t>(errors_->size) * sizeof(double));
  std::ranges::copy(out_.bound()->span(), MutableSpan(*errors_).begin());
}

void Move::NeedErrors(const Tensor& from) {
  const auto& bound = from.bound();
  if (!bound) return;
  if (bound->size == 0) {
    if (!rule_) rule_ = bound;
    return;
  }
  if (!errors_) {
    errors_ = MakeBound(out_.size(), bound->rule, bound->depth);
    errors_->zero_sign_free = bound->zero_sign_free;
    errors_->random = bound->random;
  } else {
    errors_->depth = std::max(errors_->depth, bound->depth);
  }
}

void Move::Fill(const Tensor& scalar) {
  NeedErrors(scalar);
  WithStorage(out_.kind(), [&]<typename T>() { std::ranges::fill(out_.Mutable<T>(), scalar.data<T>()[0]); });
  if (errors_) std::ranges::fill(MutableSpan(*errors_), scalar.bounds().empty() ? 0 : scalar.bounds()[0]);
}

void Move::Copy(const Tensor& from, const Shape& extents, const Shape& from_strides, int64_t from_base,
                const Shape& to_strides, int64_t to_base) {
  NeedErrors(from);
  for (const int64_t extent : extents) {
    if (extent <= 0) return;
  }
  WithStorage(out_.kind(), [&]<typename T>() {
    CopyStrided(extents, from.data<T>().data() + from_base, from_strides, out_.Mutable<T>().data() + to_base,
                to_strides);
  });
  if (!errors_) return;
  double* to = MutableSpan(*errors_).data() + to_base;
  if (from.bounds().empty()) {
    const double zero = 0;
    CopyStrided(extents, &zero, Shape(extents.size(), 0), to, to_strides);
  } else {
    CopyStrided(extents, from.bounds().data() + from_base, from_strides, to, to_strides);
  }
}

Tensor Move::Take() {
  if (errors_) {
    out_.set_bound(std::move(errors_));
  } else {
    out_.set_bound(rule_);
  }
  return std::move(out_);
}

Tensor StridedView(const Tensor& in, Shape shape, const Shape& strides, int64_t base) {
  Move move(in.type(), shape);
  move.Copy(in, shape, strides, base, StridesOf(shape), 0);
  return move.Take();
}

Tensor BroadcastInDim(const Tensor& in, Shape shape, const std::vector<int64_t>& dims) {
  const Shape in_strides = StridesOf(in.shape());
  Shape strides(shape.size(), 0);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (in.shape()[i] != 1) strides[static_cast<size_t>(dims[i])] = in_strides[i];
  }
  return StridedView(in, std::move(shape), strides, 0);
}

Tensor Transpose(const Tensor& in, const std::vector<int64_t>& permutation) {
  const Shape in_strides = StridesOf(in.shape());
  Shape shape;
  Shape strides;
  for (const int64_t d : permutation) {
    shape.push_back(in.dim(d));
    strides.push_back(in_strides[static_cast<size_t>(d)]);
  }
  return StridedView(in, std::move(shape), strides, 0);
}

Tensor Pad(const Tensor& in, const Tensor& value, const std::vector<int64_t>& low, const std::vector<int64_t>& high,
           const std::vector<int64_t>& interior) {
  const size_t rank = in.shape().size();
  Shape shape(rank);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t n = in.shape()[d];
    shape[d] = std::max<int64_t>(0, n + std::max<int64_t>(n - 1, 0) * interior[d] + low[d] + high[d]);
  }
  Move move(in.type(), shape);
  move.Fill(value);
  // Element i moves to low + i * (interior + 1). Only elements that fall inside the result are copied.
  const Shape from_strides = StridesOf(in.shape());
  const Shape out_strides = StridesOf(shape);
  Shape extents(rank);
  Shape to_strides(rank);
  int64_t from_base = 0;
  int64_t to_base = 0;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t step = interior[d] + 1;
    const int64_t first = low[d] >= 0 ? 0 : (-low[d] + step - 1) / step;
    const int64_t last_place = shape[d] - 1 - low[d];
    const int64_t end = last_place < 0 ? 0 : std::min(in.shape()[d], last_place / step + 1);
    extents[d] = end - first;
    from_base += first * from_strides[d];
    to_base += (low[d] + first * step) * out_strides[d];
    to_strides[d] = out_strides[d] * step;
  }
  move.Copy(in, extents, from_strides, from_base, to_strides, to_base);
  return move.Take();
}

}  // namespace opbyop::reference
