// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Puts faults of a device into products and convolutions that are judged by a sample and by checksums, and counts which
// are found
// (docs/numerics/checksum-faults.md).
//
//   const Expected<ProductFaults> faults = InjectProductFaults({.rows = 512, .depth = 512, .columns = 512}, 20);
//   faults->right_refused;                             // 0: no right device is accused
//   for (const FoundFaults& f : faults->found) ...     // f.by_sample + f.by_checksum of f.tried
#ifndef OPBYOP_VALIDATION_PRODUCT_FAULTS_PRODUCT_FAULTS_H_
#define OPBYOP_VALIDATION_PRODUCT_FAULTS_PRODUCT_FAULTS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop {

// A product of random numbers, rows x depth by depth x columns. If `window` is not 0 it is the convolution of a square
// image of `rows` positions with such windows, whose sums have `depth` terms.
struct ProductSize {
  int64_t rows = 0, depth = 0, columns = 0;
  std::string result = "f32";     // or "bf16", or an integer type
  std::string operands = "bf16";  // or an integer type
  int64_t window = 0;
  // ProductLimits::checksum_products; 0: as in a run. Fewer stand for a product so large that more rows share a checksum.
  double checksum_products = 0;
};

// The elements that a fault moves. The signs are random but in kAlike.
enum class Spread { kElement, kRow, kTile, kAlike, kEverywhere };
inline constexpr Spread kAllSpreads[] = {Spread::kElement, Spread::kRow, Spread::kTile, Spread::kAlike,
                                         Spread::kEverywhere};
std::string_view ToString(Spread spread);

struct FoundFaults {
  Spread spread = Spread::kElement;
  // The error of each element that is moved, in units of the greatest bound of an element of the product; of integers, in
  // ones.
  double bounds = 0;
  int tried = 0;
  int by_sample = 0;    // found, and the sample has an element that was moved
  int by_checksum = 0;  // found, and the sample has none
  // Whether the derivation says that each is found (docs/numerics/rules.md).
  bool certain = false;

  bool escaped() const { return certain && by_sample + by_checksum < tried; }
};

struct ProductFaults {
  ProductSize size;
  std::string judged;      // Comparison::judged
  double least_error = 0;  // Comparison::least_error
  int right_refused = 0;   // of as many outputs with errors of rounding alone
  std::vector<FoundFaults> found;
};

// Puts each fault in as many places as there are seeds, which also choose the sample and the signs of the checksums.
Expected<ProductFaults> InjectProductFaults(const ProductSize& size, int seeds);

// "128x64 by 64x32, bf16 to f32", "3x3 convolution of 32x32x64, 256 features, bf16 to f32".
std::string ToText(const ProductSize& size);

// A table of Markdown for each product, in text.
std::string ToMarkdown(std::span<const ProductFaults> products);

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_PRODUCT_FAULTS_PRODUCT_FAULTS_H_
