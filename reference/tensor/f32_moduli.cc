// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/f32_moduli.h"

#include <algorithm>
#include <cmath>

#include "reference/tensor/clones.h"
#include "reference/tensor/without_subnormals.h"

namespace opbyop::reference {
namespace {

// Scaled sums below this may have lost terms that underflowed: numbers below 2^-126 are taken for zero, so that a sum of
// kMostTermsInF32 terms loses less than 2^-116, a share of 2^-36 of this.
constexpr float kSmall = 0x1p-80F;
// If a larger share of a tile's sums is small, all of it is computed in double.
constexpr int64_t kFewOf = 64;
constexpr int kMostExponent = 1000;

// The power of two that makes a number with this greatest modulus at least 1 and less than 2.
double ScaleOf(double greatest) {
  if (greatest == 0) return 1;
  return std::ldexp(1.0, -std::clamp(std::ilogb(greatest), -kMostExponent, kMostExponent));
}

OPBYOP_CLONES void ScaleRow(const double* values, const double* scales, int64_t count, float* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(values[i] * scales[i]);
}

OPBYOP_CLONES void ScaleRowBy(const double* values, double scale, int64_t count, float* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(values[i] * scale);
}

OPBYOP_CLONES int64_t CountSmall(const float* values, int64_t count) {
  int64_t small = 0;
  for (int64_t i = 0; i < count; ++i) small += values[i] >= kSmall ? 0 : 1;
  return small;
}

OPBYOP_CLONES void AddScaled(const float* values, double scale, const double* scales, int64_t count, double* sums) {
  for (int64_t i = 0; i < count; ++i) sums[i] += static_cast<double>(values[i]) * (scale * scales[i]);
}

double ExactSum(const Panel& narrow, int64_t row, const Panel& wide, int64_t column) {
  double sum = 0;
  for (int64_t p = 0; p < wide.rows; ++p) sum += narrow.row(row)[p] * wide.row(p)[column];
  return sum;
}

}  // namespace

void F32Moduli::SetWide(const Panel& wide) {
  wide_ = &wide;
  std::vector<double> scales(static_cast<size_t>(wide.columns));
  for (int64_t p = 0; p < wide.rows; ++p) RaiseToModuli(wide.row(p), wide.columns, scales.data());
  std::ranges::transform(scales, scales.begin(), ScaleOf);
  wide_values_.resize(wide.values.size());
  const WithoutSubnormals fast;
  for (int64_t p = 0; p < wide.rows; ++p) {
    ScaleRow(wide.row(p), scales.data(), wide.columns, wide_values_.data() + p * wide.columns);
  }
  wide_scales_ = std::move(scales);
  for (double& scale : wide_scales_) scale = 1 / scale;
}

void F32Moduli::Add(const Panel& narrow, double* sums) {
  const int64_t depth = narrow.columns, columns = wide_->columns;
  narrow_values_.resize(narrow.values.size());
  narrow_scales_.resize(static_cast<size_t>(narrow.rows));
  for (int64_t i = 0; i < narrow.rows; ++i) {
    const double scale = ScaleOf(depth == 0 ? 0 : *std::max_element(narrow.row(i), narrow.row(i) + depth));
    const WithoutSubnormals fast;
    ScaleRowBy(narrow.row(i), scale, depth, narrow_values_.data() + i * depth);
    narrow_scales_[static_cast<size_t>(i)] = 1 / scale;
  }
  tile_.resize(static_cast<size_t>(narrow.rows * columns));
  const auto m = static_cast<int>(narrow.rows), n = static_cast<int>(columns), k = static_cast<int>(depth);
  {
    const WithoutSubnormals fast;
    sgemm_(kBlasRowMajor, kBlasAsItIs, kBlasAsItIs, m, n, k, 1, narrow_values_.data(), k, wide_values_.data(), n, 0,
           tile_.data(), n);
  }
  const int64_t small = CountSmall(tile_.data(), narrow.rows * columns);
  if (small * kFewOf > narrow.rows * columns) return AddTiles(narrow, *wide_, sums);
  for (int64_t i = 0; i < narrow.rows; ++i) {
    float* row = tile_.data() + i * columns;
    double* to = sums + i * columns;
    for (int64_t j = 0; small > 0 && j < columns; ++j) {
      if (row[j] >= kSmall) continue;
      to[j] += ExactSum(narrow, i, *wide_, j);
      row[j] = 0;
    }
    AddScaled(row, narrow_scales_[static_cast<size_t>(i)], wide_scales_.data(), columns, to);
  }
}

void RoundUpF32Moduli(std::span<double> sums) {
  for (double& sum : sums) sum *= 1 + 0x1p-15;
}

}  // namespace opbyop::reference
