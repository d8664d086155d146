// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/sparse_products.h"

#include <algorithm>
#include <cmath>

#include "reference/bounds/elementwise.h"

namespace opbyop::reference {
namespace {

// The greatest share of nonzero elements for which this algorithm is faster than a dense one.
constexpr double kSparse = 0.125;

template <typename T>
double ShareOf(std::span<const T> values) {
  const auto zeros = std::ranges::count(values, T{});
  return values.empty() ? 1 : 1 - static_cast<double>(zeros) / static_cast<double>(values.size());
}

bool AllFinite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

// One operand of a block. Row (or column) `o` has the elements data[outer[o] + inner[p]].
struct Side {
  const double* data;
  const Offsets &outer, &inner;
};

// Calls store(sparse row, values, magnitudes, terms) with one number per row of the dense operand.
template <typename Store>
void RowsOfSums(const Side& sparse, const Side& dense, Store&& store) {
  const size_t n = dense.outer.size();
  std::vector<double> values(n);
  std::vector<double> magnitudes(n);
  std::vector<double> terms(n);
  for (size_t o = 0; o < sparse.outer.size(); ++o) {
    std::ranges::fill(values, 0.0);
    std::ranges::fill(magnitudes, 0.0);
    std::ranges::fill(terms, 0.0);
    const double* row = sparse.data + sparse.outer[o];
    for (size_t p = 0; p < sparse.inner.size(); ++p) {
      const double factor = row[sparse.inner[p]];
      if (factor == 0) continue;
      const double* column = dense.data + dense.inner[p];
      for (size_t d = 0; d < n; ++d) {
        const double product = factor * column[dense.outer[d]];
        values[d] += product;
        magnitudes[d] += std::fabs(product);
        terms[d] += product != 0;
      }
    }
    store(o, values, magnitudes, terms);
  }
}

}  // namespace

double NonzeroShare(const Tensor& t) {
  return t.kind() == ElementKind::kComplex ? ShareOf(t.data<Complex>()) : ShareOf(t.data<double>());
}

std::optional<ProductSums> SparseProducts(const Contraction& x, const Tensor& lhs, const Tensor& rhs, int64_t size) {
  for (const Tensor* t : {&lhs, &rhs}) {
    if (t->kind() != ElementKind::kFloat || FormatOf(t->type()).precision >= 53 || HasErrors(*t)) return std::nullopt;
  }
  const double left = NonzeroShare(lhs);
  const double right = NonzeroShare(rhs);
  if (std::min(left, right) > kSparse || !AllFinite(lhs.data<double>()) || !AllFinite(rhs.data<double>())) {
    return std::nullopt;
  }
  const auto count = static_cast<size_t>(size);
  ProductSums sums{std::vector<double>(count), std::vector<double>(count), std::vector<double>(count)};
  for (const ContractionBlock& block : x.blocks) {
    const Side a{lhs.data<double>().data() + block.lhs_base, x.lhs_outer, x.lhs_inner};
    const Side b{rhs.data<double>().data() + block.rhs_base, x.rhs_outer, x.rhs_inner};
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
