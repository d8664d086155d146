// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Maps the index vectors of gather and scatter to positions in their operand.
//
//   map.ForEach(indices, operand.shape(), [&](const Shape& batch, const Shape& start) { ... });
#ifndef OPBYOP_REFERENCE_TENSOR_INDEX_MAP_H_
#define OPBYOP_REFERENCE_TENSOR_INDEX_MAP_H_

#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "reference/tensor/tensor.h"

namespace opbyop::reference {

struct IndexMap {
  llvm::ArrayRef<int64_t> start_index_map;        // index component -> operand dimension
  llvm::ArrayRef<int64_t> operand_batching_dims;  // operand dimension that follows ...
  llvm::ArrayRef<int64_t> indices_batching_dims;  // ... this dimension of the indices
  int64_t index_vector_dim;                       // the rank of the indices if they are scalars

  Shape BatchShape(const Shape& indices) const {
    Shape shape;
    for (size_t d = 0; d < indices.size(); ++d) {
      if (static_cast<int64_t>(d) != index_vector_dim) shape.push_back(indices[d]);
    }
    return shape;
  }

  // Calls fn(batch index, full start index) for every index vector, in order. Start indices are neither clamped nor
  // checked. An unsigned index beyond the signed 64-bit range is read as 2^62, which is out of bounds of every tensor.
  template <typename Fn>
  void ForEach(const Tensor& indices, const Shape& operand, Fn&& fn) const {
    const Shape batch_shape = BatchShape(indices.shape());
    const Shape strides = StridesOf(indices.shape());
    const bool has_vector = index_vector_dim < indices.rank();
    const int64_t component_stride = has_vector ? strides[static_cast<size_t>(index_vector_dim)] : 0;
    const bool is_unsigned = !Info(indices.type()).is_signed;
    const int64_t count = SizeOf(batch_shape);
    const int64_t* numbers = indices.kind() == ElementKind::kInteger ? indices.data<int64_t>().data() : nullptr;
    Shape batch(batch_shape.size(), 0);
    Shape start(operand.size());
    for (int64_t n = 0; n < count; ++n) {
      int64_t base = 0;
      for (size_t b = 0; b < batch.size(); ++b) {
        const size_t d = has_vector && static_cast<int64_t>(b) >= index_vector_dim ? b + 1 : b;
        base += batch[b] * strides[d];
      }
      std::fill(start.begin(), start.end(), 0);
      for (size_t c = 0; c < start_index_map.size(); ++c) {
        const int64_t at = base + static_cast<int64_t>(c) * component_stride;
        int64_t v = numbers != nullptr ? numbers[at] : indices.IntegerAt(at);
        if (is_unsigned && v < 0) v = int64_t{1} << 62;
        start[static_cast<size_t>(start_index_map[c])] = v;
      }
      for (size_t i = 0; i < operand_batching_dims.size(); ++i) {
        const int64_t d = indices_batching_dims[i];
        start[static_cast<size_t>(operand_batching_dims[i])] =
            batch[static_cast<size_t>(d < index_vector_dim ? d : d - 1)];
      }
      fn(static_cast<const Shape&>(batch), start);
      for (size_t d = batch.size(); d-- > 0;) {
        if (++batch[d] < batch_shape[d]) break;
        batch[d] = 0;
      }
    }
  }
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_INDEX_MAP_H_
