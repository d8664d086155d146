// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/few_rows.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "reference/tensor/clones.h"
#include "reference/tensor/parallel.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kBlockColumns = 512, kBlockDepth = 128;  // of a panel: about a second-level cache
constexpr int64_t kLanes = 8;
// Rows of a panel are not a power of two apart: all would share a few sets of the first-level cache.
constexpr int64_t kStride = kBlockColumns + kLanes;
constexpr double kMost = std::numeric_limits<double>::max();

using Numbers = double __attribute__((vector_size(kLanes * sizeof(double))));
using Integers = int64_t __attribute__((vector_size(kLanes * sizeof(int64_t))));

// The factors of one inner position.
struct Factors {
  double values[kFewRows], moduli[kFewRows];
  int64_t nonzero[kFewRows];  // -1 or 0
};

// The sums of a block of columns.
struct BlockSums {
  double values[kFewRows][kBlockColumns], magnitudes[kFewRows][kBlockColumns], greatest[kBlockColumns];
  int64_t terms[kFewRows][kBlockColumns];
  int64_t nonzero = 0, finite = 0;  // elements of the matrix
};

template <typename Vector, typename T>
void Load(Vector& to, const T* from) {
  std::memcpy(&to, from, sizeof(to));
}

template <typename Vector, typename T>
void Store(const Vector& from, T* to) {
  std::memcpy(to, &from, sizeof(from));
}

// Every product is a value of its own, and so rounded before it is added.
OPBYOP_CLONES void AddPanel(const double* panel, int64_t depth, int64_t columns, const Factors* factors,
                            BlockSums& sums) {
  constexpr int64_t kModulus = std::numeric_limits<int64_t>::max();
  Integers all_nonzero = {}, all_finite = {};
  for (int64_t j = 0; j < columns; j += kLanes) {
    Numbers greatest, value0, value1, magnitude0, magnitude1;
    Integers terms0, terms1;
    Load(greatest, sums.greatest + j);
    Load(value0, sums.values[0] + j);
    Load(value1, sums.values[1] + j);
    Load(magnitude0, sums.magnitudes[0] + j);
    Load(magnitude1, sums.magnitudes[1] + j);
    Load(terms0, sums.terms[0] + j);
    Load(terms1, sums.terms[1] + j);
    for (int64_t p = 0; p < depth; ++p) {
      const Factors& factor = factors[p];
      Numbers number;
      Load(number, panel + p * kStride + j);
      const Numbers modulus = reinterpret_cast<Numbers>(reinterpret_cast<Integers>(number) & kModulus);
      const Integers finite = modulus <= kMost, nonzero = number != 0;
      const auto finite_modulus = reinterpret_cast<Numbers>(reinterpret_cast<Integers>(modulus) & finite);
      greatest = modulus > greatest ? modulus : greatest;
      all_finite -= finite;
      all_nonzero -= nonzero;
      const Numbers product0 = number * factor.values[0], product1 = number * factor.values[1];
      value0 += product0;
      value1 += product1;
      const Numbers part0 = finite_modulus * factor.moduli[0], part1 = finite_modulus * factor.moduli[1];
      magnitude0 += part0;
      magnitude1 += part1;
      terms0 -= nonzero & factor.nonzero[0];
      terms1 -= nonzero & factor.nonzero[1];
    }
    Store(greatest, sums.greatest + j);
    Store(value0, sums.values[0] + j);
    Store(value1, sums.values[1] + j);
    Store(magnitude0, sums.magnitudes[0] + j);
    Store(magnitude1, sums.magnitudes[1] + j);
    Store(terms0, sums.terms[0] + j);
    Store(terms1, sums.terms[1] + j);
  }
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    sums.nonzero += all_nonzero[lane];
    sums.finite += all_finite[lane];
  }
}

std::vector<Factors> FactorsOf(const GemmOperand& rows) {
  const size_t depth = rows.inner.size();
  std::vector<double> numbers(rows.outer.size() * depth);
  CopyNumbers(rows.numbers, rows.outer, rows.inner, numbers.data(), static_cast<int64_t>(depth));
  std::vector<Factors> factors(depth);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double v = numbers[i], modulus = std::fabs(v);
    Factors& factor = factors[i % depth];
    factor.values[i / depth] = v;
    factor.moduli[i / depth] = modulus <= kMost ? modulus : 0;
    factor.nonzero[i / depth] = v != 0 ? -1 : 0;
  }
  return factors;
}

}  // namespace

RowSums SumsOfRows(const GemmOperand& rows, const GemmOperand& matrix, int threads) {
  const auto depth = static_cast<int64_t>(rows.inner.size()), columns = static_cast<int64_t>(matrix.outer.size());
  const size_t count = rows.outer.size() * matrix.outer.size();
  RowSums all{.values = std::vector<double>(count),
              .magnitudes = std::vector<double>(count),
              .terms = std::vector<double>(count),
              .greatest = std::vector<double>(matrix.outer.size()),
              .factors = std::vector<double>(rows.outer.size())};
  const std::vector<Factors> factors = FactorsOf(rows);
  for (const Factors& each : factors) {
    for (size_t i = 0; i < all.factors.size(); ++i) {
      const double modulus = std::fabs(each.values[i]);
      all.factors[i] = modulus > all.factors[i] ? modulus : all.factors[i];
    }
  }
  std::atomic<int64_t> nonzero = 0, finite = 0;
  ForChunks((columns + kBlockColumns - 1) / kBlockColumns, threads, [&](int64_t begin, int64_t end) {
    // Columns beyond the last one are zero.
    std::vector<double> panel(static_cast<size_t>(kBlockDepth * kStride));
    for (int64_t j = begin * kBlockColumns; j < std::min(end * kBlockColumns, columns); j += kBlockColumns) {
      const int64_t width = std::min(kBlockColumns, columns - j);
      if (width < kBlockColumns) std::ranges::fill(panel, 0.0);
      BlockSums sums{};
      for (int64_t p = 0; p < depth; p += kBlockDepth) {
        const int64_t here = std::min(kBlockDepth, depth - p);
        CopyNumbers(matrix.numbers, matrix.inner.subspan(static_cast<size_t>(p), static_cast<size_t>(here)),
                    matrix.outer.subspan(static_cast<size_t>(j), static_cast<size_t>(width)), panel.data(), kStride);
        AddPanel(panel.data(), here, width, factors.data() + p, sums);
      }
      for (size_t i = 0; i < rows.outer.size(); ++i) {
        const auto to = static_cast<int64_t>(i) * columns + j;
        std::copy_n(sums.values[i], width, all.values.begin() + to);
        std::copy_n(sums.magnitudes[i], width, all.magnitudes.begin() + to);
        std::copy_n(sums.terms[i], width, all.terms.begin() + to);
      }
      std::copy_n(sums.greatest, width, all.greatest.begin() + j);
      const int64_t beyond = (kLanes - width % kLanes) % kLanes * depth;
      nonzero += sums.nonzero;
      finite += sums.finite - beyond;
    }
  });
  const int64_t elements = depth * columns;
  all.zeros = elements - nonzero;
  all.finite = finite == elements;
  return all;
}

}  // namespace opbyop::reference
