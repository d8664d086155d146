// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/panel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "reference/tensor/clones.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kRows = 6;  // rows of a micro tile
constexpr int64_t kColumns = 8;
constexpr int64_t kRowBlock = 96;

template <typename Fn>
void Replace(double* values, int64_t count, Fn&& fn) {
  for (int64_t i = 0; i < count; ++i) values[i] = fn(values[i]);
}

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

// Not part of a longer expression, so that the product is rounded before it is added.
double Product(double a, double b) { return a * b; }

}  // namespace

void Take(Taken taken, double* values, int64_t count) {
  constexpr double kMost = std::numeric_limits<double>::max();
  switch (taken) {
    case Taken::kValue:
      return;
    case Taken::kModulus:
      return Replace(values, count, [](double v) { return std::fabs(v); });
    case Taken::kFiniteModulus:
      return Replace(values, count, [](double v) { return std::fabs(v) <= kMost ? std::fabs(v) : 0; });
    case Taken::kNonzero:
      return Replace(values, count, [](double v) { return v != 0 ? 1.0 : 0.0; });
  }
}

void Panel::Fill(const StoredNumbers& numbers, std::span<const int64_t> at_rows, std::span<const int64_t> at_columns,
                 Taken taken) {
  rows = static_cast<int64_t>(at_rows.size());
  columns = static_cast<int64_t>(at_columns.size());
  values.resize(static_cast<size_t>(rows * columns));
  CopyNumbers(numbers, at_rows, at_columns, values.data(), columns);
  Take(taken, values.data(), rows * columns);
}

OPBYOP_CLONES void RaiseToModuli(const double* values, int64_t count, double* greatest) {
  for (int64_t i = 0; i < count; ++i) {
    const double modulus = std::fabs(values[i]);
    greatest[i] = modulus > greatest[i] ? modulus : greatest[i];
  }
}

// Positions beyond the end of a tile are zero.
void AddTiles(const Panel& a, const Panel& b, double* c) {
  const int64_t depth = b.rows;
  const auto padded = [](int64_t count, int64_t width) { return (count + width - 1) / width * width; };
  std::vector<double> packed_a(static_cast<size_t>(padded(std::min(kRowBlock, a.rows), kRows) * depth));
  std::vector<double> packed_b(static_cast<size_t>(padded(b.columns, kColumns) * depth));
  for (int64_t j = 0; j < b.columns; j += kColumns) {
    const int64_t width = std::min(kColumns, b.columns - j);
    for (int64_t p = 0; p < depth; ++p) {
      std::copy_n(b.row(p) + j, width, packed_b.data() + j * depth + p * kColumns);
    }
  }
  double tile[kRows * kColumns];
  for (int64_t i0 = 0; i0 < a.rows; i0 += kRowBlock) {
    const int64_t rows = std::min(kRowBlock, a.rows - i0);
    for (int64_t i = 0; i < padded(rows, kRows); ++i) {
      double* to = packed_a.data() + i / kRows * kRows * depth + i % kRows;
      for (int64_t p = 0; p < depth; ++p) to[p * kRows] = i < rows ? a.row(i0 + i)[p] : 0;
    }
    for (int64_t j = 0; j < b.columns; j += kColumns) {
      for (int64_t i = 0; i < rows; i += kRows) {
        MicroTile(depth, packed_a.data() + i * depth, packed_b.data() + j * depth, tile);
        const int64_t height = std::min(kRows, rows - i);
        const int64_t width = std::min(kColumns, b.columns - j);
        for (int64_t y = 0; y < height; ++y) {
          double* to = c + (i0 + i + y) * b.columns + j;
          for (int64_t x = 0; x < width; ++x) to[x] += tile[y * kColumns + x];
        }
      }
    }
  }
}

OPBYOP_CLONES void AddRows(int64_t sums_count, const double* factors, int64_t factors_stride, const double* matrix,
                           int64_t rows, int64_t columns, double* sums, int64_t sums_stride) {
  for (int64_t i = 0; i < rows; ++i) {
    const double* row = matrix + i * columns;
    for (int64_t t = 0; t < sums_count; ++t) {
      const double factor = factors[t * factors_stride + i];
      double* to = sums + t * sums_stride;
      for (int64_t j = 0; j < columns; ++j) to[j] += Product(factor, row[j]);
    }
  }
}

}  // namespace opbyop::reference
