// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies some rows of an operand or a result of a Contraction, one after the other.
//
//   const Tensor rows = GatherRows(x.lhs, block.lhs_base, x.lhs_outer, {0, 7, 8}, x.lhs_inner);   // 3 x inner positions
#ifndef OPBYOP_REFERENCE_WORKER_GATHERED_ROWS_H_
#define OPBYOP_REFERENCE_WORKER_GATHERED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "reference/tensor/tensor.h"

namespace opbyop::reference {

// Row i has the elements base + outer[rows[i]] + inner[0], inner[1], ..., in the form in which the tensor holds them.
Tensor GatherRows(const Tensor& t, int64_t base, const Offsets& outer, std::span<const int64_t> rows,
                  const Offsets& inner);
// The same of elements in stored form, which the result has too.
Tensor GatherStoredRows(ElementType type, const std::byte* stored, int64_t base, const Offsets& outer,
                        std::span<const int64_t> rows, const Offsets& inner);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_GATHERED_ROWS_H_
