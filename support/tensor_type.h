// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The type of one operand or result for rooms without MLIR: a shape and a dtype.
//
//   TensorType t{{2, 3}, "f32"};   // tensor<2x3xf32>
//
// dtype is MLIR's own spelling of the element type: "f32", "bf16", "i1", "i32" (signed), "ui8", "complex<f32>",
// "f8E4M3FN", "!quant.uniform<...>". A dynamic dimension is kDynamic. A value that is no tensor (token, tuple) has an
// empty shape and its whole type as dtype.
#ifndef OPBYOP_SUPPORT_TENSOR_TYPE_H_
#define OPBYOP_SUPPORT_TENSOR_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace opbyop {

inline constexpr int64_t kDynamic = -1;

struct TensorType {
  std::vector<int64_t> shape;
  std::string dtype;

  friend bool operator==(const TensorType&, const TensorType&) = default;
};

struct TensorTypeHash {
  size_t operator()(const TensorType& type) const {
    size_t hash = std::hash<std::string>()(type.dtype);
    for (const int64_t size : type.shape) hash = hash * 31 + static_cast<size_t>(size);
    return hash;
  }
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TENSOR_TYPE_H_
