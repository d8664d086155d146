// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares sums of some rows of a product with the product of the operand's rows, added up in the same way [Huang and
// Abraham 1984]: sums of t rows cost a t-th of the product.
//
//   const ChecksumRows rows = RowsOfChecksums(x, 16, 0x1p37);
//   for (const Suspicion& s : SuspiciousChecksums(x, output, bounds, rows, seed, threads)) {
//     s.block, s.first, s.across;  // where it is: rows first to first + rows.count of column `across`
//   }
//
// A suspicion proves nothing: the elements of its rows have to be computed. docs/numerics/rules.md derives which errors
// in elements make a checksum suspicious.
#ifndef OPBYOP_REFERENCE_WORKER_PRODUCT_CHECKSUMS_H_
#define OPBYOP_REFERENCE_WORKER_PRODUCT_CHECKSUMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/eval/contraction.h"

namespace opbyop::reference {

// A checksum is suspicious beyond this share of the sum of its elements' bounds. The errors of a right device, with random
// signs, stay below it in nearly all of millions of checksums.
inline constexpr double kSuspiciousShare = 0.5;

// The bound of an element as far as it can be told without computing it: `scale` times the error of a sum of magnitudes
// and of two roundings to the result's type.
struct AssumedBound {
  double unit = 0;      // error of each term of a sum, relative to the sum of magnitudes
  double roundoff = 0;  // relative
  double smallest = 0;  // spacing of the numbers next to 0
  double scale = 0;

  double Unscaled(double magnitude, double value, double terms) const;
};

struct ChecksumRows {
  int64_t count = 0;     // of the rows that share a checksum, at least 1
  bool columns = false;  // they are columns of the product
};

// Returns at least `fewest` rows, and so many that all checksums take at most `products` multiply-adds, if the product
// has so many rows.
ChecksumRows RowsOfChecksums(const Contraction& x, int64_t fewest, double products);

struct Suspicion {
  size_t block;
  int64_t first;   // of the rows (or columns) that are added up
  int64_t across;  // the column (or row)
  double share;    // of the sum of the bounds; infinite if the output or a sum is no number
};

// `output` are the numbers of the result of all blocks. `seed` fixes the signs. The most suspicious checksum is first.
std::vector<Suspicion> SuspiciousChecksums(const Contraction& x, const StoredNumbers& output, const AssumedBound& bound,
                                           const ChecksumRows& rows, uint64_t seed, int threads);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_PRODUCT_CHECKSUMS_H_
