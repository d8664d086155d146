// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A part of a matrix in doubles that fits a cache, and the plain loops that multiply such parts.
//
//   Panel a, b;
//   a.Fill(numbers, rows, inner, Taken::kValue);
//   AddTiles(a, b, c.data());   // c += a * b
#ifndef OPBYOP_REFERENCE_TENSOR_PANEL_H_
#define OPBYOP_REFERENCE_TENSOR_PANEL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "reference/tensor/clones.h"
#include "reference/tensor/gemm.h"

namespace opbyop::reference {

// The numbers of a vector register.
using Four = double __attribute__((vector_size(32)));

// A row-major matrix in memory.
struct Panel {
  std::vector<double> values;
  int64_t rows = 0, columns = 0;

  const double* row(int64_t r) const { return values.data() + r * columns; }

  void Fill(const StoredNumbers& numbers, std::span<const int64_t> at_rows, std::span<const int64_t> at_columns,
            Taken taken);
};

// Replaces each value by the part of it that is taken.
void Take(Taken taken, double* values, int64_t count);

// Raises each number to the modulus of the value at its place if that is greater.
OPBYOP_CLONES void RaiseToModuli(const double* values, int64_t count, double* greatest);

// c += a * b, by tiles that fit the registers.
void AddTiles(const Panel& a, const Panel& b, double* c);

// sums[t][j] += the sum over i of factors[t][i] * matrix[i][j], term by term in the order of i.
OPBYOP_CLONES void AddRows(int64_t sums_count, const double* factors, int64_t factors_stride, const double* matrix,
                           int64_t rows, int64_t columns, double* sums, int64_t sums_stride);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_PANEL_H_
