// Moving elements, and their bounds with them.
//
//   Move move(operand.type(), {4, 3});
//   move.Fill(padding);
//   move.Copy(operand, extents, from_strides, 0, to_strides, offset);
//   return Values{move.Take()};
#ifndef OPBYOP_REFERENCE_MOVEMENT_H_
#define OPBYOP_REFERENCE_MOVEMENT_H_

#include "reference/tensor.h"

namespace opbyop {

// Copies extents[0] x extents[1] x ... elements between strided places. Strides are in elements, may be zero or
// negative.
template <typename T>
void CopyStrided(const Shape& extents, const T* from, const Shape& from_strides, T* to, const Shape& to_strides) {
  const size_t rank = extents.size();
  if (rank == 0) {
    *to = *from;
    return;
  }
  for (const int64_t extent : extents) {
    if (extent <= 0) return;
  }
  const int64_t inner = extents[rank - 1];
  const int64_t from_step = from_strides[rank - 1];
  const int64_t to_step = to_strides[rank - 1];
  Shape index(rank, 0);
  while (true) {
    if (from_step == 1 && to_step == 1) {
      std::copy_n(from, inner, to);
    } else if (from_step == 0 && to_step == 1) {
      std::fill_n(to, inner, *from);
    } else {
      for (int64_t i = 0; i < inner; ++i) to[i * to_step] = from[i * from_step];
    }
    size_t d = rank - 1;
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
  Move(ElementType type, Shape shape) : out_(Tensor::Make(type, std::move(shape))) {}
  // Starts from the elements of `base`.
  explicit Move(Tensor base);

  // Every element becomes the scalar.
  void Fill(const Tensor& scalar);
  void Copy(const Tensor& from, const Shape& extents, const Shape& from_strides, int64_t from_base,
            const Shape& to_strides, int64_t to_base);
  Tensor Take();

 private:
  void NeedErrors(const Tensor& from);

  Tensor out_;
  std::shared_ptr<Bound> errors_;
  std::shared_ptr<const Bound> rule_;  // of an operand that is exact up to the sign of zero
};

// out[index] = in[base + sum index[d] * strides[d]].
Tensor StridedView(const Tensor& in, Shape shape, const Shape& strides, int64_t base);

// NumPy's broadcast along explicit dimensions: operand dimension i lies along result dimension dims[i].
Tensor BroadcastInDim(const Tensor& in, Shape shape, const std::vector<int64_t>& dims);
Tensor Transpose(const Tensor& in, const std::vector<int64_t>& permutation);
// Negative edges cut.
Tensor Pad(const Tensor& in, const Tensor& value, const std::vector<int64_t>& low, const std::vector<int64_t>& high,
           const std::vector<int64_t>& interior);

}  // namespace opbyop

#endif  // OPBYOP_REFERENCE_MOVEMENT_H_
