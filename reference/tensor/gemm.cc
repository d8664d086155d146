// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/gemm.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/tensor/clones.h"
#include "reference/tensor/parallel.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kRows = 6;  // rows of a micro tile
constexpr int64_t kColumns = 8;
constexpr int64_t kDepth = 256;  // inner positions of a packed panel: panel and tile fit the first-level cache
constexpr int64_t kRowBlock = 96;
constexpr int64_t kColumnBlock = 512;
constexpr double kWorthThreads = 4e6;  // multiply-adds, which take far longer than starting a thread

// Packs panels: depth x width values for each group of `width` outer positions. Positions beyond the end are zero.
void Pack(const GemmOperand& operand, int64_t first, int64_t count, int64_t inner_first, int64_t depth, int64_t width,
          bool absolute, double* out) {
  for (int64_t group = 0; group < count; group += width) {
    const int64_t here = std::min(width, count - group);
    for (int64_t w = 0; w < width; ++w) {
      double* to = out + group * depth + w;
      if (w >= here) {
        for (int64_t p = 0; p < depth; ++p) to[p * width] = 0;
        continue;
      }
      const double* from = operand.data + operand.outer[static_cast<size_t>(first + group + w)];
      const int64_t* inner = operand.inner.data() + inner_first;
      if (absolute) {
        for (int64_t p = 0; p < depth; ++p) to[p * width] = std::fabs(from[inner[p]]);
      } else {
        for (int64_t p = 0; p < depth; ++p) to[p * width] = from[inner[p]];
      }
    }
  }
}

using Four = double __attribute__((vector_size(32)));

// tile[kRows x kColumns] = packed a * packed b.
OPBYOP_CLONES void MicroTile(int64_t depth, const double* a, const double* b, double* tile) {
  Four sums[kRows][2] = {};
  for (int64_t p = 0; p < depth; ++p) {
    Four b0;
    Four b1;
    std::memcpy(&b0, b + p * kColumns, sizeof(b0));
    std::memcpy(&b1, b + p * kColumns + 4, sizeof(b1));
    const double* row = a + p * kRows;
    for (int64_t i = 0; i < kRows; ++i) {
      const Four value = {row[i], row[i], row[i], row[i]};
      sums[i][0] += value * b0;
      sums[i][1] += value * b1;
    }
  }
  std::memcpy(tile, sums, sizeof(sums));
}

// True if the positions follow each other in memory.
bool AreContiguous(std::span<const int64_t> positions) {
  for (size_t i = 1; i < positions.size(); ++i) {
    if (positions[i] != positions[i - 1] + 1) return false;
  }
  return true;
}

template <bool absolute>
double Term(double a, double b) {
  return absolute ? std::fabs(a * b) : a * b;
}

// Computes one element after the other. It is fast if the elements of a column of b are contiguous in memory.
template <bool absolute>
void DirectAlongSums(const GemmOperand& a, const GemmOperand& b, double* c, size_t stride) {
  for (size_t i = 0; i < a.outer.size(); ++i) {
    const double* row = a.data + a.outer[i];
    for (size_t j = 0; j < b.outer.size(); ++j) {
      const double* column = b.data + b.outer[j];
      double sum = 0;
      for (size_t p = 0; p < a.inner.size(); ++p) sum += Term<absolute>(row[a.inner[p]], column[b.inner[p]]);
      c[i * stride + j] = sum;
    }
  }
}

// Computes a block of columns side by side, which reads b once and in memory order. Each sum has the order of
// DirectAlongSums, so the results are the same.
template <bool absolute>
void DirectAcrossColumns(const GemmOperand& a, const GemmOperand& b, double* c, size_t stride) {
  constexpr size_t kBlock = 1024;  // sums that stay in the first-level cache
  const size_t n = b.outer.size();
  for (size_t j0 = 0; j0 < n; j0 += kBlock) {
    const size_t count = std::min(kBlock, n - j0);
    for (size_t i = 0; i < a.outer.size(); ++i) std::fill_n(c + i * stride + j0, count, 0.0);
    for (size_t p = 0; p < a.inner.size(); ++p) {
      const double* from = b.data + b.outer[j0] + b.inner[p];
      for (size_t i = 0; i < a.outer.size(); ++i) {
        const double factor = a.data[a.outer[i] + a.inner[p]];
        double* sums = c + i * stride + j0;
        for (size_t j = 0; j < count; ++j) sums[j] += Term<absolute>(factor, from[j]);
      }
    }
  }
}

// Multiplies without packing, for so few rows or columns that packing would cost more than it saves. A row of c is
// `stride` elements long.
template <bool absolute>
void Direct(const GemmOperand& a, const GemmOperand& b, double* c, size_t stride) {
  if (a.outer.size() < b.outer.size() && !AreContiguous(b.inner) && AreContiguous(b.outer)) {
    DirectAcrossColumns<absolute>(a, b, c, stride);
  } else {
    DirectAlongSums<absolute>(a, b, c, stride);
  }
}

void Packed(const GemmOperand& a, const GemmOperand& b, double* c, int64_t stride, bool absolute) {
  const auto m = static_cast<int64_t>(a.outer.size());
  const auto n = static_cast<int64_t>(b.outer.size());
  const auto k = static_cast<int64_t>(a.inner.size());
  if (m < 3 || n < 3 || k < 3) {
    return absolute ? Direct<true>(a, b, c, static_cast<size_t>(stride))
                    : Direct<false>(a, b, c, static_cast<size_t>(stride));
  }
  for (int64_t i = 0; i < m; ++i) std::fill_n(c + i * stride, n, 0.0);
  const auto padded = [](int64_t count, int64_t width) { return (count + width - 1) / width * width; };
  std::vector<double> packed_a(static_cast<size_t>(padded(kRowBlock, kRows) * kDepth));
  std::vector<double> packed_b(static_cast<size_t>(padded(kColumnBlock, kColumns) * kDepth));
  double tile[kRows * kColumns];
  for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
    const int64_t depth = std::min(kDepth, k - p0);
    for (int64_t j0 = 0; j0 < n; j0 += kColumnBlock) {
      const int64_t columns = std::min(kColumnBlock, n - j0);
      Pack(b, j0, columns, p0, depth, kColumns, absolute, packed_b.data());
      for (int64_t i0 = 0; i0 < m; i0 += kRowBlock) {
        const int64_t rows = std::min(kRowBlock, m - i0);
        Pack(a, i0, rows, p0, depth, kRows, absolute, packed_a.data());
        for (int64_t j = 0; j < columns; j += kColumns) {
          for (int64_t i = 0; i < rows; i += kRows) {
            MicroTile(depth, packed_a.data() + i * depth, packed_b.data() + j * depth, tile);
            const int64_t height = std::min(kRows, rows - i);
            const int64_t width = std::min(kColumns, columns - j);
            for (int64_t y = 0; y < height; ++y) {
              double* to = c + (i0 + i + y) * stride + j0 + j;
              for (int64_t x = 0; x < width; ++x) to[x] += tile[y * kColumns + x];
            }
          }
        }
      }
    }
  }
}

}  // namespace

void Gemm(const GemmOperand& a, const GemmOperand& b, double* c, bool absolute, int threads) {
  const auto m = static_cast<int64_t>(a.outer.size());
  const auto n = static_cast<int64_t>(b.outer.size());
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(a.inner.size());
  if (work < kWorthThreads) threads = 1;
  const auto part = [](std::span<const int64_t> all, int64_t begin, int64_t end) {
    return all.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  };
  if (m >= n) {
    ForChunks(m, threads, [&](int64_t begin, int64_t end) {
      Packed({a.data, part(a.outer, begin, end), a.inner}, b, c + begin * n, n, absolute);
    });
  } else {
    ForChunks(n, threads, [&](int64_t begin, int64_t end) {
      Packed(a, {b.data, part(b.outer, begin, end), b.inner}, c + begin, n, absolute);
    });
  }
}

Offsets OffsetsOf(const std::vector<int64_t>& extents, const std::vector<int64_t>& strides) {
  Offsets offsets{0};
  for (size_t d = 0; d < extents.size(); ++d) {
    Offsets next;
    next.reserve(offsets.size() * static_cast<size_t>(std::max<int64_t>(extents[d], 0)));
    for (const int64_t base : offsets) {
      for (int64_t i = 0; i < extents[d]; ++i) next.push_back(base + i * strides[d]);
    }
    offsets = std::move(next);
  }
  return offsets;
}

}  // namespace opbyop::reference
