// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/product_check.h"

#include <algorithm>
#include <cmath>

namespace opbyop::reference {
namespace {

constexpr int64_t kPanel = int64_t{1} << 20;  // elements of the narrow matrix that are decoded at once
constexpr int64_t kRowsAtOnce = 96;
// Sums of 256 moduli in f32 are off by at most 2^-16 of themselves, the signs of the test make their errors random, and
// four deviations of these are enough: a false alarm costs only time.
constexpr double kF32Deviation = 0x1p-14;

}  // namespace

ProductCheck::ProductCheck(const GemmOperand& narrow, Taken taken)
    : rows_(static_cast<int64_t>(narrow.outer.size())), depth_(static_cast<int64_t>(narrow.inner.size())) {
  signs_.resize(static_cast<size_t>(kTests * rows_));
  weights_.resize(static_cast<size_t>(rows_));
  factors_.resize(static_cast<size_t>(kTests * depth_));
  moduli_.resize(static_cast<size_t>(depth_));
  const CounterStream stream(0x5eed);
  Panel panel;
  const int64_t block = std::clamp<int64_t>(kPanel / std::max<int64_t>(depth_, 1), 1, kRowsAtOnce);
  for (int64_t i = 0; i < rows_; i += block) {
    const int64_t count = std::min(block, rows_ - i);
    panel.Fill(narrow.numbers, narrow.outer.subspan(static_cast<size_t>(i), static_cast<size_t>(count)), narrow.inner,
               taken);
    for (int64_t r = 0; r < count; ++r) Weigh(stream, panel.row(r), i + r);
    AddRows(kTests, signs_.data() + i, rows_, panel.values.data(), count, depth_, factors_.data(), depth_);
    Take(Taken::kModulus, panel.values.data(), count * depth_);
    AddRows(1, weights_.data() + i, rows_, panel.values.data(), count, depth_, moduli_.data(), depth_);
  }
}

void ProductCheck::Add(int64_t first, Panel& wide, Sums& sums) const {
  AddRows(kTests, factors_.data() + first, depth_, wide.values.data(), wide.rows, wide.columns, sums.products.data(),
          wide.columns);
  Take(Taken::kModulus, wide.values.data(), wide.rows * wide.columns);
  AddRows(1, moduli_.data() + first, depth_, wide.values.data(), wide.rows, wide.columns, sums.moduli.data(),
          wide.columns);
}

bool ProductCheck::IsRight(const Sums& sums, const double* c, int64_t columns, SumType type) const {
  std::vector<double> found(static_cast<size_t>(kTests * columns));
  AddRows(kTests, signs_.data(), rows_, c, rows_, columns, found.data(), columns);
  std::vector<double> squares(static_cast<size_t>(columns));
  if (type == SumType::kF32) {
    for (int64_t i = 0; i < rows_; ++i) {
      const double weight = weights_[static_cast<size_t>(i)];
      for (int64_t j = 0; j < columns; ++j) {
        const double element = weight * c[i * columns + j];
        squares[static_cast<size_t>(j)] += element * element;
      }
    }
  }
  const double relative = 2.001 * static_cast<double>(rows_ + depth_) * 0x1p-53;
  for (int64_t i = 0; i < kTests * columns; ++i) {
    const auto column = static_cast<size_t>(i % columns), at = static_cast<size_t>(i);
    const double allowed = relative * sums.moduli[column] + kF32Deviation * std::sqrt(squares[column]);
    if (!std::isfinite(found[at]) || !(std::fabs(found[at] - sums.products[at]) <= allowed)) return false;
  }
  return true;
}

// Gives a row random signs. They are scaled by the power of two that makes all rows about as large, so that the
// rounding of large rows does not hide an error in small ones.
void ProductCheck::Weigh(const CounterStream& stream, const double* row, int64_t i) {
  double greatest = 0;
  for (int64_t p = 0; p < depth_; ++p) greatest = std::max(greatest, std::fabs(row[p]));
  const double weight = greatest > 0 ? std::ldexp(1.0, -std::ilogb(greatest)) : 1;
  weights_[static_cast<size_t>(i)] = weight;
  for (int64_t t = 0; t < kTests; ++t) {
    const bool negative = stream.Bits(static_cast<uint64_t>(i * kTests + t)) >> 63 != 0;
    signs_[static_cast<size_t>(t * rows_ + i)] = negative ? -weight : weight;
  }
}

}  // namespace opbyop::reference
