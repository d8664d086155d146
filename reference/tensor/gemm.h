// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of matrices in double. Each matrix is given by its stored elements and the offsets of its rows and columns.
//
//   c[i * n + j] = sum over p of a[a.outer[i] + a.inner[p]] * b[b.outer[j] + b.inner[p]]
//
// Offsets let one routine serve every dot_general and every convolution without transposing or unrolling
// patches first. Elements are decoded block by block, so no matrix is copied as a whole.
#ifndef OPBYOP_REFERENCE_TENSOR_GEMM_H_
#define OPBYOP_REFERENCE_TENSOR_GEMM_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/tensor/blas.h"

namespace opbyop::reference {

using Offsets = std::vector<int64_t>;

// How a number is stored. The values of kCode16 and kCode8 are those of a table, by the bits of the code.
enum class NumberForm : uint8_t { kF64, kF32, kBf16, kCode16, kCode8, kI64 };

struct StoredNumbers {
  const void* data = nullptr;
  NumberForm form = NumberForm::kF64;
  const double* table = nullptr;
  size_t mask = 0;  // of the bits of a code

  // The numbers from element `first` on.
  StoredNumbers From(int64_t first) const;
};

struct GemmOperand {
  StoredNumbers numbers;
  std::span<const int64_t> outer;
  std::span<const int64_t> inner;
};

// The part of each number that a product takes.
enum class Taken : uint8_t {
  kValue,
  // A library's sums of moduli may be too large by 2^-14 of themselves, never too small.
  kModulus,
  kFiniteModulus,  // 0 of infinities and NaN
  kNonzero,        // 1 of a number that is not 0
};

// A product of fewer multiply-adds is not worth a library.
inline constexpr double kWorthBlas = 0x1p24;

struct GemmOptions {
  Taken taken = Taken::kValue;
  // Computes large products of finite numbers; nullptr: the product's own kernel computes all. Each of its products is
  // checked (docs/numerics/rules.md), and computed again by the own kernel if it is wrong.
  const Blas* blas = nullptr;
  int threads = 1;
};

// Several threads divide the rows among them, or the columns if there are more of those. Every element is summed in the
// same order whatever the number of threads.
void Gemm(const GemmOperand& a, const GemmOperand& b, double* c, const GemmOptions& options = {});

// Copies numbers[rows[r] + columns[c]] to out[r * stride + c].
void CopyNumbers(const StoredNumbers& numbers, std::span<const int64_t> rows, std::span<const int64_t> columns,
                 double* out, int64_t stride);

// Returns the offsets of all positions in the given dimensions, in row-major order.
Offsets OffsetsOf(const std::vector<int64_t>& extents, const std::vector<int64_t>& strides);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_GEMM_H_
