// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares sums of some rows of a product of integers with the product of the operand's rows, added up in the same way,
// as product_checksums.h does with floats. Nothing is rounded, so a checksum that is off proves that one of its elements
// is wrong, and one wrong element is always found.
//
//   const ChecksumRows rows = RowsOfChecksums(x, 256, 0x1p33);
//   for (const Suspicion& s : WrongIntegerChecksums(x, ElementType::kI32, output, rows, seed, threads)) ...
//
// Rows are multiplied by odd random numbers. docs/numerics/rules.md derives what several wrong elements cancel.
#ifndef OPBYOP_REFERENCE_WORKER_INTEGER_CHECKSUMS_H_
#define OPBYOP_REFERENCE_WORKER_INTEGER_CHECKSUMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/eval/contraction.h"
#include "reference/worker/product_checksums.h"

namespace opbyop::reference {

// True if a sum of so many products of the operands' types may exceed the result's type, so that it wraps.
bool MayWrap(ElementType lhs, ElementType rhs, ElementType result, int64_t terms);

// `output` is the result in stored form, of the integer type `type`. `seed` fixes the factors. The shares of the
// suspicions are infinite; they are sorted by place.
std::vector<Suspicion> WrongIntegerChecksums(const Contraction& x, ElementType type, const std::byte* output,
                                             const ChecksumRows& rows, uint64_t seed, int threads);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_INTEGER_CHECKSUMS_H_
