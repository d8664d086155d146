// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/product_checksums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "reference/tensor/blas.h"
#include "reference/tensor/counter_stream.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kGroupsAtOnce = 64;

// An operand of a block of the product.
struct Side {
  StoredNumbers numbers;
  const Offsets& outer;
  const Offsets& inner;
  const Offsets& places;  // in the result
};

// The rows of `added` are added up, those of `other` are not.
struct Block {
  Side added, other;
  StoredNumbers output;
};

// Signs of the rows of a group: a quarter of them is negative, so that an error that all elements have does not cancel.
std::vector<double> SignsOf(int64_t rows, uint64_t seed) {
  std::vector<double> signs(static_cast<size_t>(rows), 1.0);
  const std::vector<int64_t> order = CounterStream(seed).Permutation(rows);
  for (int64_t i = 0; i < rows / 4; ++i) signs[static_cast<size_t>(order[static_cast<size_t>(i)])] = -1;
  return signs;
}

// A matrix of sums of rows, and of the sums of their magnitudes.
class RowSums {
 public:
  RowSums(int64_t rows, size_t columns)
      : columns_(columns), row_(columns), sums_(static_cast<size_t>(rows) * columns), magnitudes_(sums_.size()) {}

  // Adds the numbers at `columns`, times `sign`, to row `to`.
  void Add(const StoredNumbers& numbers, const Offsets& columns, double sign, int64_t to) {
    static const Offsets zero = {0};
    CopyNumbers(numbers, zero, columns, row_.data(), static_cast<int64_t>(columns_));
    const size_t first = static_cast<size_t>(to) * columns_;
    for (size_t i = 0; i < columns_; ++i) {
      sums_[first + i] += sign * row_[i];
      magnitudes_[first + i] += std::fabs(row_[i]);
    }
  }

  const std::vector<double>& sums() const { return sums_; }
  const std::vector<double>& magnitudes() const { return magnitudes_; }

 private:
  size_t columns_;
  std::vector<double> row_, sums_, magnitudes_;
};

// Appends the suspicious checksums of block number `index`.
void CheckBlock(const Block& block, size_t index, const AssumedBound& bound, int64_t rows_of_sum, uint64_t seed,
                int threads, std::vector<Suspicion>& suspicious) {
  const auto& [added, other, output] = block;
  const auto m = static_cast<int64_t>(added.outer.size());
  const size_t n = other.outer.size(), k = added.inner.size();
  const auto terms = static_cast<double>(k);
  const int64_t groups = (m + rows_of_sum - 1) / rows_of_sum;
  const Offsets inner = OffsetsOf({static_cast<int64_t>(k)}, {1});
  const GemmOperand right{other.numbers, other.outer, other.inner};
  for (int64_t first = 0; first < groups; first += kGroupsAtOnce) {
    const int64_t count = std::min(kGroupsAtOnce, groups - first);
    RowSums operand(count, k), got(count, n);
    for (int64_t g = 0; g < count; ++g) {
      const int64_t begin = (first + g) * rows_of_sum, rows = std::min(rows_of_sum, m - begin);
      const std::vector<double> signs = SignsOf(rows, seed + static_cast<uint64_t>(first + g));
      for (int64_t i = 0; i < rows; ++i) {
        const auto at = static_cast<size_t>(begin + i);
        operand.Add(added.numbers.From(added.outer[at]), added.inner, signs[static_cast<size_t>(i)], g);
        got.Add(output.From(added.places[at]), other.places, signs[static_cast<size_t>(i)], g);
      }
    }
    const Offsets outer = OffsetsOf({count}, {static_cast<int64_t>(k)});
    std::vector<double> values(got.sums().size()), magnitudes(values.size());
    Gemm({{operand.sums().data()}, outer, inner}, right, values.data(), {.blas = InstalledBlas(), .threads = threads});
    Gemm({{operand.magnitudes().data()}, outer, inner}, right, magnitudes.data(),
         {.taken = Taken::kFiniteModulus, .blas = InstalledBlas(), .threads = threads});
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t begin = (first + static_cast<int64_t>(i / n)) * rows_of_sum;
      const auto rows = static_cast<double>(std::min(rows_of_sum, m - begin));
      const double off = std::fabs(got.sums()[i] - values[i]);
      const double bounds =
          bound.scale * (bound.Unscaled(magnitudes[i], got.magnitudes()[i], terms) + rows * bound.smallest);
      if (off <= kSuspiciousShare * bounds) continue;
      const double share = std::isfinite(off) ? off / bounds : std::numeric_limits<double>::infinity();
      suspicious.push_back({index, begin, static_cast<int64_t>(i % n), share});
    }
  }
}

}  // namespace

double AssumedBound::Unscaled(double magnitude, double value, double terms) const {
  return terms * unit * magnitude + 2 * roundoff * std::fabs(value) + smallest;
}

ChecksumRows RowsOfChecksums(const Contraction& x, int64_t fewest, double products) {
  const auto m = static_cast<int64_t>(x.lhs_outer.size()), n = static_cast<int64_t>(x.rhs_outer.size());
  // The shorter side is added up where it has enough rows: its checksums take less memory.
  ChecksumRows rows{.count = fewest, .columns = m < n ? m < 4 * fewest : n >= 4 * fewest};
  const int64_t added = rows.columns ? n : m, other = rows.columns ? m : n;
  const double each =
      2 * static_cast<double>(x.blocks.size()) * static_cast<double>(other) * static_cast<double>(x.lhs_inner.size());
  const auto cost = [&] {
    const int64_t checksums = (added + rows.count - 1) / rows.count;
    return each * static_cast<double>(checksums);
  };
  while (rows.count < added && cost() > products) rows.count *= 2;
  rows.count = std::min(rows.count, std::max<int64_t>(added, 1));
  return rows;
}

std::vector<Suspicion> SuspiciousChecksums(const Contraction& x, const StoredNumbers& output, const AssumedBound& bound,
                                           const ChecksumRows& rows, uint64_t seed, int threads) {
  std::vector<Suspicion> suspicious;
  for (size_t b = 0; b < x.blocks.size(); ++b) {
    const ContractionBlock& block = x.blocks[b];
    const Side lhs{StoredNumbersOf(x.lhs).From(block.lhs_base), x.lhs_outer, x.lhs_inner, x.row_places};
    const Side rhs{StoredNumbersOf(x.rhs).From(block.rhs_base), x.rhs_outer, x.rhs_inner, x.column_places};
    const StoredNumbers result = output.From(block.result_base);
    CheckBlock(rows.columns ? Block{rhs, lhs, result} : Block{lhs, rhs, result}, b, bound, rows.count, seed + b,
               threads, suspicious);
  }
  std::ranges::sort(suspicious, {},
                    [](const Suspicion& s) { return std::tuple(-s.share, s.block, s.first, s.across); });
  return suspicious;
}

}  // namespace opbyop::reference
