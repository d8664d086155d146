// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of matrices given by offsets, in double.
//
//   c[i * n + j] = sum over p of a.data[a.outer[i] + a.inner[p]] * b.data[b.outer[j] + b.inner[p]]
//
// Offsets let one routine serve every dot_general and every convolution without transposing or unrolling
// patches first. `absolute` multiplies |a| by |b|: the magnitude sums of the error bounds.
#ifndef OPBYOP_REFERENCE_TENSOR_GEMM_H_
#define OPBYOP_REFERENCE_TENSOR_GEMM_H_

#include <cstdint>
#include <span>
#include <vector>

namespace opbyop::reference {

using Offsets = std::vector<int64_t>;

struct GemmOperand {
  const double* data;
  std::span<const int64_t> outer;
  std::span<const int64_t> inner;
};

// With several threads rows are shared out, or columns where there are more: every element is summed in the same order.
void Gemm(const GemmOperand& a, const GemmOperand& b, double* c, bool absolute, int threads = 1);

// Offsets of all positions of the given dimensions, the last fastest.
Offsets OffsetsOf(const std::vector<int64_t>& extents, const std::vector<int64_t>& strides);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_GEMM_H_
