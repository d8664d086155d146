// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of one or two rows with a matrix, and all that their bounds need, while the matrix is read once: reading it
// takes longer than everything that is computed from it.
//
//   if (rows.outer.size() <= kFewRows) {
//     const RowSums sums = SumsOfRows(rows, matrix, threads);
//     sums.values[i * columns + j];   // as Gemm(rows, matrix) gives it, to the bit
//   }
#ifndef OPBYOP_REFERENCE_TENSOR_FEW_ROWS_H_
#define OPBYOP_REFERENCE_TENSOR_FEW_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/tensor/gemm.h"

namespace opbyop::reference {

inline constexpr size_t kFewRows = 2;

// Numbers of all sums, row by row, of all columns of the matrix, and of the rows.
struct RowSums {
  std::vector<double> values;
  std::vector<double> magnitudes;  // as of Taken::kFiniteModulus
  std::vector<double> terms;       // products of two numbers that are not 0
  std::vector<double> greatest;    // the greatest modulus in each column; NaN is left out
  std::vector<double> factors;     // the same in each row
  int64_t zeros = 0;               // elements of the matrix that are 0
  bool finite = true;              // none of them is an infinity or NaN
};

// `rows` has one or two rows. Threads divide the columns.
RowSums SumsOfRows(const GemmOperand& rows, const GemmOperand& matrix, int threads);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_FEW_ROWS_H_
