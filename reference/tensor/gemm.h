// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of matrices in double. Each matrix is given by the offsets of its rows and columns.
//
//   c[i * n + j] = sum over p of a.data[a.outer[i] + a.inner[p]] * b.data[b.outer[j] + b.inner[p]]
//
// Offsets let one routine serve every dot_general and every convolution without transposing or unrolling
// patches first. With `absolute` it multiplies |a| by |b|, which gives the magnitude sums of the error bounds.
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

// Several threads divide the rows among them, or the columns if there are more of those. Every element is summed in the
// same order whatever the number of threads.
void Gemm(const GemmOperand& a, const GemmOperand& b, double* c, bool absolute, int threads = 1);

// Returns the offsets of all positions in the given dimensions, in row-major order.
Offsets OffsetsOf(const std::vector<int64_t>& extents, const std::vector<int64_t>& strides);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_GEMM_H_
