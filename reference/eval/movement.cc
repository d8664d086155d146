// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/movement.h"

#include <algorithm>
#include <cstring>

#include "reference/bounds/bound.h"
#include "reference/bounds/zero_signs.h"

namespace opbyop::reference {

namespace {

// The elements of a result whose stored form is worth that of its operands: values would take up to eight times the
// memory.
constexpr int64_t kWorthStored = int64_t{1} << 24;

// Calls fn with an unsigned integer of the size of a stored element.
template <typename Fn>
void WithStoredSize(ElementType type, Fn&& fn) {
  switch (StoredBytes(type)) {
    case 1:
      return fn(uint8_t{});
    case 2:
      return fn(uint16_t{});
    case 4:
      return fn(uint32_t{});
    case 8:
      return fn(uint64_t{});
    default:
      return fn(static_cast<unsigned __int128>(0));
  }
}

}  // namespace

void StridedCopy::Merge() {
  for (size_t d = extents.size(); d-- > 1;) {
    const bool runs_on =
        from_strides[d - 1] == from_strides[d] * extents[d] && to_strides[d - 1] == to_strides[d] * extents[d];
    if (!runs_on && extents[d - 1] != 1 && extents[d] != 1) continue;
    if (extents[d] == 1) {
      from_strides[d] = from_strides[d - 1];
      to_strides[d] = to_strides[d - 1];
    }
    extents[d] *= extents[d - 1];
    extents.erase(extents.begin() + static_cast<int64_t>(d) - 1);
    from_strides.erase(from_strides.begin() + static_cast<int64_t>(d) - 1);
    to_strides.erase(to_strides.begin() + static_cast<int64_t>(d) - 1);
  }
}

Move::Move(Tensor base) : type_(base.type()), shape_(base.shape()), started_(true), out_(std::move(base)) {
  if (out_.stored() != nullptr && out_.bounds().empty()) {
    const size_t bytes = static_cast<size_t>(out_.size() * StoredBytes(type_));
    stored_.emplace(bytes);
    std::copy_n(out_.stored(), bytes, stored_->data());
  }
  if (!out_.bound()) return;
  if (out_.bound()->size == 0) {
    rule_ = BoundWhenMoved(out_.bound());
    return;
  }
  errors_ = std::make_shared<Bound>(*out_.bound());
  errors_->values = Buffer(static_cast<size_t>(errors_->size) * sizeof(double));
  std::ranges::copy(out_.bound()->span(), MutableSpan(*errors_).begin());
}

void Move::Start(const Tensor& from) {
  if (started_) return;
  started_ = true;
  const int64_t size = SizeOf(shape_);
  const bool smaller = StoredBytes(type_) < static_cast<int64_t>(StorageBytes(KindOf(type_)));
  if (from.bounds().empty() && (from.stored() != nullptr || (smaller && size >= kWorthStored))) {
    stored_.emplace(static_cast<size_t>(size * StoredBytes(type_)));
  } else {
    out_ = Tensor::Make(type_, shape_);
  }
}

const std::byte* Move::StoredOf(const Tensor& from) {
  if (from.stored() != nullptr) return from.stored();
  if (!source_.IsSameValueAs(from) || source_bytes_.empty()) {
    source_ = from;
    source_bytes_ = TensorToBytes(from);
  }
  return source_bytes_.data();
}

void Move::NeedErrors(const Tensor& from) {
  const auto& bound = from.bound();
  if (!bound) return;
  if (bound->size == 0) {
    if (!rule_) rule_ = BoundWhenMoved(bound);
    return;
  }
  if (!errors_) {
    errors_ = MakeBound(SizeOf(shape_), bound->rule, bound->depth);
    errors_->zero_sign_free = bound->zero_sign_free;
    errors_->random = bound->random;
  } else {
    errors_->depth = std::max(errors_->depth, bound->depth);
  }
}

void Move::Fill(const Tensor& scalar) {
  NeedErrors(scalar);
  Start(scalar);
  if (stored_) {
    WithStoredSize(type_, [&]<typename T>(T value) {
      std::memcpy(&value, StoredOf(scalar), sizeof(T));
      std::fill_n(reinterpret_cast<T*>(stored_->data()), SizeOf(shape_), value);
    });
  } else {
    WithStorage(out_.kind(), [&]<typename T>() { std::ranges::fill(out_.Mutable<T>(), scalar.data<T>()[0]); });
  }
  if (errors_) std::ranges::fill(MutableSpan(*errors_), scalar.bounds().empty() ? 0 : scalar.bounds()[0]);
}

void Move::Copy(const Tensor& from, const Shape& extents, const Shape& from_strides, int64_t from_base,
                const Shape& to_strides, int64_t to_base) {
  const Place place{from_base, to_base};
  CopyEach(from, {extents, from_strides, to_strides}, std::span(&place, 1));
}

void Move::CopyEach(const Tensor& from, StridedCopy copy, std::span<const Place> places) {
  NeedErrors(from);
  if (copy.empty() || places.empty()) return;
  copy.Merge();
  Start(from);
  const auto copy_all = [&]<typename T>(const T* source, T* target) {
    for (const Place& place : places) CopyStrided(copy, source + place.from, target + place.to);
  };
  if (stored_) {
    WithStoredSize(type_, [&]<typename T>(T) {
      copy_all(reinterpret_cast<const T*>(StoredOf(from)), reinterpret_cast<T*>(stored_->data()));
    });
  } else {
    WithStorage(out_.kind(), [&]<typename T>() { copy_all(from.data<T>().data(), out_.Mutable<T>().data()); });
  }
  if (!errors_) return;
  double* errors = MutableSpan(*errors_).data();
  if (!from.bounds().empty()) return copy_all(from.bounds().data(), errors);
  const double zero = 0;
  std::ranges::fill(copy.from_strides, 0);
  for (const Place& place : places) CopyStrided(copy, &zero, errors + place.to);
}

Tensor Move::Take() {
  if (stored_) {
    const Provenance provenance = out_.provenance();
    out_ = Tensor::OfStored(type_, shape_, std::move(*stored_));
    out_.set_provenance(provenance);
  } else if (!started_) {
    out_ = Tensor::Make(type_, shape_);
  }
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

int64_t ClampedIndex(const Tensor& index, int64_t most) {
  const int64_t v = index.IntegerAt(0);
  const bool beyond = !Info(index.type()).is_signed && v < 0;  // a ui64 beyond the signed range
  return beyond ? most : std::clamp<int64_t>(v, 0, most);
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
