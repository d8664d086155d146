// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/sparse_products.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "reference/bounds/elementwise.h"
#include "reference/tensor/clones.h"

namespace opbyop::reference {
namespace {

// The greatest share of nonzero elements for which this algorithm is faster than a dense one.
constexpr double kSparse = 0.125;

// One operand of a block. Row (or column) `o` has the elements numbers[outer[o] + inner[p]].
struct Side {
  StoredNumbers numbers;
  const Offsets &outer, &inner;
};

constexpr size_t kDecodedAtOnce = size_t{1} << 16;  // elements, which fit the second-level cache
constexpr size_t kKeptDecoded = size_t{1} << 20;

// The numbers of one inner position of an operand, for each of its rows: all are decoded once if they are few.
class InnerRows {
 public:
  explicit InnerRows(const Side& side) : side_(side), rows_(side.outer.size()) {
    all_ = rows_ * side.inner.size() <= kKeptDecoded;
    numbers_.resize(all_ ? rows_ * side.inner.size() : rows_);
    if (all_) CopyNumbers(side.numbers, side.inner, side.outer, numbers_.data(), static_cast<int64_t>(rows_));
  }

  // Valid until the next call.
  const double* At(size_t p) {
    if (all_) return numbers_.data() + p * rows_;
    CopyNumbers(side_.numbers, std::span(side_.inner).subspan(p, 1), side_.outer, numbers_.data(),
                static_cast<int64_t>(rows_));
    return numbers_.data();
  }

 private:
  const Side& side_;
  size_t rows_;
  bool all_;
  std::vector<double> numbers_;
};

// Calls store(sparse row, values, magnitudes, terms) with one number per row of the dense operand.
template <typename Store>
void RowsOfSums(const Side& sparse, const Side& dense, Store&& store) {
  const size_t n = dense.outer.size(), depth = sparse.inner.size();
  std::vector<double> values(n);
  std::vector<double> magnitudes(n);
  std::vector<double> terms(n);
  InnerRows columns(dense);
  // Several rows at once: where they lie next to each other, a cache line has an element of each.
  const size_t block = std::clamp<size_t>(kDecodedAtOnce / std::max<size_t>(depth, 1), 1, 64);
  std::vector<double> rows(block * depth);
  for (size_t o = 0; o < sparse.outer.size(); ++o) {
    if (o % block == 0) {
      const auto at = std::span(sparse.outer).subspan(o, std::min(block, sparse.outer.size() - o));
      CopyNumbers(sparse.numbers, at, sparse.inner, rows.data(), static_cast<int64_t>(depth));
    }
    const double* row = rows.data() + o % block * depth;
    std::ranges::fill(values, 0.0);
    std::ranges::fill(magnitudes, 0.0);
    std::ranges::fill(terms, 0.0);
    for (size_t p = 0; p < depth; ++p) {
      const double factor = row[p];
      if (factor == 0) continue;
      const double* column = columns.At(p);
      for (size_t d = 0; d < n; ++d) {
        const double product = factor * column[d];
        values[d] += product;
        magnitudes[d] += std::fabs(product);
        terms[d] += product != 0;
      }
    }
    store(o, values, magnitudes, terms);
  }
}

struct FactsOfBlock {
  int64_t zeros, open;  // numbers that are zero, and that are not finite
};

OPBYOP_CLONES FactsOfBlock FactsOfNumbers(std::span<const double> numbers) {
  constexpr uint64_t kExponent = 0x7FF0000000000000;
  FactsOfBlock facts{0, 0};
  for (const double v : numbers) {
    facts.zeros += v == 0 ? 1 : 0;
    facts.open += (std::bit_cast<uint64_t>(v) & kExponent) == kExponent ? 1 : 0;
  }
  return facts;
}

}  // namespace

OperandFacts FactsOf(const Tensor& t) {
  int64_t zeros = 0;
  bool finite = true;
  if (t.kind() == ElementKind::kComplex) {
    ForValues<Complex>(t, [&](int64_t, std::span<const Complex> values) {
      zeros += std::ranges::count(values, Complex());
      finite = finite && FactsOfNumbers({reinterpret_cast<const double*>(values.data()), 2 * values.size()}).open == 0;
    });
  } else {
    ForValues<double>(t, [&](int64_t, std::span<const double> values) {
      const FactsOfBlock facts = FactsOfNumbers(values);
      zeros += facts.zeros;
      finite = finite && facts.open == 0;
    });
  }
  return {t.size() == 0 ? 1 : 1 - static_cast<double>(zeros) / static_cast<double>(t.size()), finite};
}

std::optional<ProductSums> SparseProducts(const Contraction& x, const Tensor& lhs, const Tensor& rhs,
                                          const OperandFacts& lhs_facts, const OperandFacts& rhs_facts, int64_t size) {
  for (const Tensor* t : {&lhs, &rhs}) {
    if (t->kind() != ElementKind::kFloat || FormatOf(t->type()).precision >= 53 || HasErrors(*t)) return std::nullopt;
  }
  const double left = lhs_facts.nonzero_share;
  const double right = rhs_facts.nonzero_share;
  if (std::min(left, right) > kSparse || !lhs_facts.finite || !rhs_facts.finite) return std::nullopt;
  const auto count = static_cast<size_t>(size);
  ProductSums sums{std::vector<double>(count), std::vector<double>(count), std::vector<double>(count)};
  for (const ContractionBlock& block : x.blocks) {
    const Side a{StoredNumbersOf(lhs).From(block.lhs_base), x.lhs_outer, x.lhs_inner};
    const Side b{StoredNumbersOf(rhs).From(block.rhs_base), x.rhs_outer, x.rhs_inner};
    const bool by_rows = left <= right;
    const Offsets& sparse_places = by_rows ? x.row_places : x.column_places;
    const Offsets& dense_places = by_rows ? x.column_places : x.row_places;
    RowsOfSums(by_rows ? a : b, by_rows ? b : a,
               [&](size_t o, const std::vector<double>& values, const std::vector<double>& magnitudes,
                   const std::vector<double>& terms) {
                 const int64_t base = block.result_base + sparse_places[o];
                 for (size_t d = 0; d < values.size(); ++d) {
                   const auto to = static_cast<size_t>(base + dense_places[d]);
                   sums.values[to] = values[d];
                   sums.magnitudes[to] = magnitudes[d];
                   sums.terms[to] = terms[d];
                 }
               });
  }
  return sums;
}

}  // namespace opbyop::reference
