// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Moves elements together with their bounds. Elements in stored form are moved as they are, and so is what fills a large
// result.
//
//   Move move(operand.type(), {4, 3});
//   move.Fill(padding);
//   move.Copy(operand, extents, from_strides, 0, to_strides, offset);
//   return Values{move.Take()};
#ifndef OPBYOP_REFERENCE_EVAL_MOVEMENT_H_
#define OPBYOP_REFERENCE_EVAL_MOVEMENT_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "reference/tensor/tensor.h"

namespace opbyop::reference {

// The innermost loops of CopyStrided: copies `rows` x `columns` elements. Columns are the last dimension of the target.
template <typename T>
void CopyTile(int64_t rows, int64_t columns, const T* from, int64_t from_row, int64_t from_column, T* to,
              int64_t to_row, int64_t to_column) {
  // Small enough that the cache lines of the source stay in the first-level cache until all their elements are copied.
  constexpr int64_t kTile = 32;
  for (int64_t r0 = 0; r0 < rows; r0 += kTile) {
    const int64_t r1 = std::min(rows, r0 + kTile);
    for (int64_t c0 = 0; c0 < columns; c0 += kTile) {
      const int64_t c1 = std::min(columns, c0 + kTile);
      for (int64_t r = r0; r < r1; ++r) {
        for (int64_t c = c0; c < c1; ++c) to[r * to_row + c * to_column] = from[r * from_row + c * from_column];
      }
    }
  }
}

// A number of elements between strided places, extents[0] x extents[1] x ... Strides are in elements; they may be zero
// or negative.
struct StridedCopy {
  Shape extents, from_strides, to_strides;

  bool empty() const {
    return std::ranges::any_of(extents, [](int64_t extent) { return extent <= 0; });
  }
  // Makes one of neighbouring dimensions that are contiguous in both source and target.
  void Merge();
};

// Copies the elements, which are merged and not empty.
template <typename T>
void CopyStrided(const StridedCopy& copy, const T* from, T* to) {
  const auto& [all_extents, from_strides, to_strides] = copy;
  if (all_extents.empty()) {
    *to = *from;
    return;
  }
  if (all_extents.size() == 1 && from_strides[0] == 1 && to_strides[0] == 1) {
    std::copy_n(from, all_extents[0], to);
    return;
  }
  const size_t last = all_extents.size() - 1;
  const int64_t inner = all_extents[last];
  const int64_t from_step = from_strides[last];
  const int64_t to_step = to_strides[last];
  // In a transposition, the dimension that is contiguous in the source is copied in the innermost tile too.
  size_t row = last;
  for (size_t d = 0; d < last; ++d) {
    if (from_strides[d] == 1 && from_step != 1 && from_step != 0) row = d;
  }
  Shape extents = all_extents;
  const int64_t rows = row == last ? 1 : extents[row];
  const int64_t from_row = row == last ? 0 : from_strides[row];
  const int64_t to_row = row == last ? 0 : to_strides[row];
  if (row != last) extents[row] = 1;
  Shape index(extents.size(), 0);
  while (true) {
    if (row != last) {
      CopyTile(rows, inner, from, from_row, from_step, to, to_row, to_step);
    } else if (from_step == 1 && to_step == 1) {
      std::copy_n(from, inner, to);
    } else if (from_step == 0 && to_step == 1) {
      std::fill_n(to, inner, *from);
    } else {
      for (int64_t i = 0; i < inner; ++i) to[i * to_step] = from[i * from_step];
    }
    size_t d = last;
    while (true) {
      if (d == 0) return;
      --d;
      from += from_strides[d];
      to += to_strides[d];
      if (++index[d] < extents[d]) break;
      from -= from_strides[d] * extents[d];
      to -= to_strides[d] * extents[d];
      index[d] = 0;
    }
  }
}

class Move {
 public:
  Move(ElementType type, Shape shape) : type_(type), shape_(std::move(shape)) {}
  // Starts from the elements of `base`.
  explicit Move(Tensor base);

  // Sets every element to the scalar.
  void Fill(const Tensor& scalar);
  void Copy(const Tensor& from, const Shape& extents, const Shape& from_strides, int64_t from_base,
            const Shape& to_strides, int64_t to_base);
  // Copies as many elements for each place, an offset in the source and one in the result.
  struct Place {
    int64_t from, to;
  };
  void CopyEach(const Tensor& from, StridedCopy copy, std::span<const Place> places);
  Tensor Take();

 private:
  void NeedErrors(const Tensor& from);
  // Makes the result when its first elements come: in stored form if they are, or if there are many.
  void Start(const Tensor& from);
  const std::byte* StoredOf(const Tensor& from);

  ElementType type_ = ElementType::kF32;
  Shape shape_;
  bool started_ = false;
  Tensor out_;
  std::optional<Buffer> stored_;  // the elements of the result, instead of out_
  Tensor source_;                 // the tensor whose elements are in source_bytes_
  std::vector<std::byte> source_bytes_;
  std::shared_ptr<Bound> errors_;
  std::shared_ptr<const Bound> rule_;  // bound of an operand that is exact except for the sign of zero
};

// out[index] = in[base + sum index[d] * strides[d]].
Tensor StridedView(const Tensor& in, Shape shape, const Shape& strides, int64_t base);

// The first index of a slice that fits: the scalar `index`, clamped to 0 and `most`.
int64_t ClampedIndex(const Tensor& index, int64_t most);

// NumPy's broadcast along explicit dimensions: operand dimension i lies along result dimension dims[i].
Tensor BroadcastInDim(const Tensor& in, Shape shape, const std::vector<int64_t>& dims);
Tensor Transpose(const Tensor& in, const std::vector<int64_t>& permutation);
// Pads with `value`. Negative `low` or `high` cut elements off.
Tensor Pad(const Tensor& in, const Tensor& value, const std::vector<int64_t>& low, const std::vector<int64_t>& high,
           const std::vector<int64_t>& interior);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_MOVEMENT_H_
