// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/integer_checksums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <tuple>

#include "reference/tensor/counter_stream.h"
#include "reference/tensor/parallel.h"
#include "reference/worker/gathered_rows.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kChecksumsAtOnce = 64;
constexpr int64_t kRowsAtOnce = 32;

struct IntegerSide {
  const Tensor& numbers;
  int64_t base;
  const Offsets& outer;
  const Offsets& inner;
  const Offsets& places;  // in the result
};

// The result, and where a block of it begins.
struct IntegerOutput {
  ElementType type;
  const std::byte* bytes;
  int64_t base;
};

// Positions begin to end - 1.
std::vector<int64_t> PositionsOf(int64_t begin, int64_t end) {
  std::vector<int64_t> range(static_cast<size_t>(end - begin));
  std::iota(range.begin(), range.end(), begin);
  return range;
}

// Adds `factor` times the numbers of row `row` to `to`, modulo 2^64.
void AddRow(const Tensor& rows, int64_t row, size_t columns, uint64_t factor, uint64_t* to) {
  const int64_t* from = rows.data<int64_t>().data() + static_cast<size_t>(row) * columns;
  for (size_t i = 0; i < columns; ++i) to[i] += factor * static_cast<uint64_t>(from[i]);
}

// The checksums of a block. The rows of `added` are added up, those of `other` are not.
class IntegerBlock {
 public:
  IntegerBlock(const IntegerSide& added, const IntegerSide& other, const IntegerOutput& output, int64_t rows_of_sum,
               uint64_t seed)
      : added_(added), other_(other), output_(output), rows_of_sum_(rows_of_sum), factors_(seed) {
    const bool wraps = MayWrap(added.numbers.type(), other.numbers.type(), output.type, terms());
    unseen_bits_ = wraps ? 64 - Info(output.type).width : 0;
  }

  // Calls wrong(first, across) for each checksum that is off.
  template <typename Fn>
  void Check(int threads, Fn&& wrong) {
    const auto m = static_cast<int64_t>(added_.outer.size()), n = static_cast<int64_t>(other_.outer.size());
    const int64_t checksums = (m + rows_of_sum_ - 1) / rows_of_sum_;
    for (int64_t first = 0; first < checksums; first += kChecksumsAtOnce) {
      const int64_t count = std::min(kChecksumsAtOnce, checksums - first);
      AddUp(first, count);
      std::mutex mutex;
      ForChunks(n, threads, [&](int64_t begin, int64_t end) {
        for (int64_t j = begin; j < end; j += kRowsAtOnce) {
          Compare(j, std::min(end, j + kRowsAtOnce), count, [&](int64_t checksum, int64_t across) {
            const std::scoped_lock lock(mutex);
            wrong((first + checksum) * rows_of_sum_, across);
          });
        }
      });
    }
  }

 private:
  int64_t terms() const { return static_cast<int64_t>(added_.inner.size()); }

  // Adds up the rows of the operand and of the output that belong to these checksums.
  void AddUp(int64_t first, int64_t count) {
    const auto m = static_cast<int64_t>(added_.outer.size());
    const size_t k = added_.inner.size(), n = other_.places.size();
    operand_.assign(static_cast<size_t>(count) * k, 0);
    got_.assign(static_cast<size_t>(count) * n, 0);
    const int64_t end = std::min(m, (first + count) * rows_of_sum_);
    for (int64_t row = first * rows_of_sum_; row < end; row += kRowsAtOnce) {
      const std::vector<int64_t> rows = PositionsOf(row, std::min(end, row + kRowsAtOnce));
      const Tensor operand = GatherRows(added_.numbers, added_.base, added_.outer, rows, added_.inner);
      const Tensor got =
          GatherStoredRows(output_.type, output_.bytes, output_.base, added_.places, rows, other_.places);
      for (size_t i = 0; i < rows.size(); ++i) {
        const auto to = static_cast<size_t>(rows[i] / rows_of_sum_ - first);
        const uint64_t factor = factors_.Bits(static_cast<uint64_t>(rows[i])) | 1;
        AddRow(operand, static_cast<int64_t>(i), k, factor, operand_.data() + to * k);
        AddRow(got, static_cast<int64_t>(i), n, factor, got_.data() + to * n);
      }
    }
  }

  // Compares the checksums of columns begin to end - 1 with the products.
  template <typename Fn>
  void Compare(int64_t begin, int64_t end, int64_t count, Fn&& wrong) const {
    const size_t k = added_.inner.size(), n = other_.places.size();
    const Tensor columns = GatherRows(other_.numbers, other_.base, other_.outer, PositionsOf(begin, end), other_.inner);
    const int64_t* numbers = columns.data<int64_t>().data();
    for (int64_t j = begin; j < end; ++j, numbers += k) {
      for (int64_t c = 0; c < count; ++c) {
        const uint64_t* row = operand_.data() + static_cast<size_t>(c) * k;
        uint64_t sum = 0;
        for (size_t p = 0; p < k; ++p) sum += row[p] * static_cast<uint64_t>(numbers[p]);
        const uint64_t off = got_[static_cast<size_t>(c) * n + static_cast<size_t>(j)] - sum;
        if (off << unseen_bits_ != 0) wrong(c, j);
      }
    }
  }

  const IntegerSide &added_, &other_;
  const IntegerOutput& output_;
  int64_t rows_of_sum_;
  CounterStream factors_;
  int unseen_bits_ = 0;  // the upper bits, in which a wrapped sum differs from the sum
  std::vector<uint64_t> operand_, got_;
};

// The greatest modulus of a number of the type is at most 2 to the power of this.
int MagnitudeBits(ElementType type) { return Info(type).width - (Info(type).is_signed ? 1 : 0); }

}  // namespace

bool MayWrap(ElementType lhs, ElementType rhs, ElementType result, int64_t terms) {
  if (!Info(result).is_signed && (Info(lhs).is_signed || Info(rhs).is_signed)) return true;
  const double most = std::ldexp(static_cast<double>(terms), MagnitudeBits(lhs) + MagnitudeBits(rhs));
  return most >= std::ldexp(1.0, MagnitudeBits(result));
}

std::vector<Suspicion> WrongIntegerChecksums(const Contraction& x, ElementType type, const std::byte* output,
                                             const ChecksumRows& rows, uint64_t seed, int threads) {
  std::vector<Suspicion> found;
  for (size_t b = 0; b < x.blocks.size(); ++b) {
    const ContractionBlock& block = x.blocks[b];
    const IntegerSide lhs{x.lhs, block.lhs_base, x.lhs_outer, x.lhs_inner, x.row_places};
    const IntegerSide rhs{x.rhs, block.rhs_base, x.rhs_outer, x.rhs_inner, x.column_places};
    const IntegerOutput result{type, output, block.result_base};
    IntegerBlock sums(rows.columns ? rhs : lhs, rows.columns ? lhs : rhs, result, rows.count, seed + b);
    sums.Check(threads, [&](int64_t first, int64_t across) {
      found.push_back({b, first, across, std::numeric_limits<double>::infinity()});
    });
  }
  std::ranges::sort(found, {}, [](const Suspicion& s) { return std::tuple(s.block, s.first, s.across); });
  return found;
}

}  // namespace opbyop::reference
