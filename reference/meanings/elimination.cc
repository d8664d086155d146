// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Factorizations by elimination: Cholesky, LU, tridiagonal systems.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "reference/meanings/families.h"

namespace opbyop::reference::factors {
namespace {

// Whether all eigenvalues are above `least`.
bool IsPositiveDefinite(DenseMatrix h, double least) {
  for (int64_t i = 0; i < h.rows; ++i) h(i, i) -= least;
  for (int64_t j = 0; j < h.columns; ++j) {
    const double pivot = h(j, j).real();
    if (!(pivot > 0)) return false;
    for (int64_t i = j + 1; i < h.rows; ++i) {
      const Number factor = h(i, j) / pivot;
      for (int64_t k = j; k < h.columns; ++k) h(i, k) -= factor * h(j, k);
    }
  }
  return true;
}

}  // namespace

Checks Cholesky(const FactorParts& parts) {
  const bool lower = parts.Option("lower") != 0;
  const DenseMatrix h = Hermitian(parts["a"], lower);
  const DenseMatrix l = lower ? Lower(parts["l"]) : Adjoint(Upper(parts["l"]));
  const DenseMatrix moduli = Moduli(l);
  Checks checks;
  // A matrix that is not positive definite has no factor, and one that is nearly singular may lose it by rounding. If a
  // device says so, nothing is demanded of the factor.
  const double steps = kDirect * Sides(h);
  const bool claims = parts.Has("info") ? parts["info"](0, 0) == Number(0) : std::isfinite(Norm(l));
  const bool judged = IsJudged(parts, Norm(h)) && (claims || IsPositiveDefinite(h, steps * parts.unit * Norm(h)));
  checks.push_back(ByElements(parts, "l", "L L^H = A within 10 (n + 1) u |L||L^H|", l * Adjoint(l) - h,
                              kDirect * static_cast<double>(h.rows + 1), moduli * Adjoint(moduli)));
  std::vector<double> diagonal;
  for (int64_t i = 0; i < l.rows; ++i) {
    diagonal.push_back(l(i, i).real() > 0 ? std::abs(l(i, i).imag()) : std::abs(l(i, i)) + 1);
  }
  checks.push_back(Exactly("l", "L has a positive diagonal", std::move(diagonal)));
  AddInfo(parts, 0, checks);
  return If(judged, std::move(checks));
}

// Adds the identity to B B^H / n, for a drawn matrix B.
void MakePositiveDefinite(FactorParts& parts) {
  DenseMatrix& a = parts.values["a"];
  const auto n = static_cast<double>(std::max<int64_t>(a.rows, 1));
  const DenseMatrix square = a * Adjoint(a);
  a = MakeMatrix(a.rows, a.columns,
                 [&](int64_t i, int64_t j) { return square(i, j) / n + Number(i == j ? 1.0 : 0.0); });
}

Checks Lu(const FactorParts& parts) {
  const DenseMatrix& a = parts["a"];
  const DenseMatrix& lu = parts["lu"];
  const DenseMatrix& pivots = parts["pivots"];
  const auto base = static_cast<int64_t>(parts.Option("first_row", 1));
  const int64_t k = std::min(a.rows, a.columns);
  Checks checks;
  std::vector<int64_t> rows(static_cast<size_t>(a.rows));
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<double> outside;
  for (int64_t i = 0; i < k; ++i) {
    const double pivot = pivots(i, 0).real() - static_cast<double>(base);
    const bool fits = pivot >= static_cast<double>(i) && pivot < static_cast<double>(a.rows);
    outside.push_back(fits ? 0 : 1);
    if (fits) std::swap(rows[static_cast<size_t>(i)], rows[static_cast<size_t>(pivot)]);
  }
  checks.push_back(Exactly("pivots", "pivot i is a row from i on", std::move(outside)));
  if (parts.Has("permutation")) {
    std::vector<double> errors;
    for (int64_t i = 0; i < a.rows; ++i) {
      errors.push_back(std::abs(parts["permutation"](i, 0).real() - static_cast<double>(rows[static_cast<size_t>(i)])));
    }
    checks.push_back(Exactly("permutation", "the permutation is that of the pivots", std::move(errors)));
  }
  const DenseMatrix permuted =
      MakeMatrix(a.rows, a.columns, [&](int64_t i, int64_t j) { return a(rows[static_cast<size_t>(i)], j); });
  DenseMatrix l = Corner(Lower(lu, -1), a.rows, k);
  for (int64_t i = 0; i < k; ++i) l(i, i) = 1;
  const DenseMatrix u = Corner(Upper(lu), k, a.columns);
  checks.push_back(ByElements(parts, "lu", "P A = L U within 10 (k + 1) u |L||U|", permuted - l * u,
                              kDirect * static_cast<double>(k + 1), Moduli(l) * Moduli(u)));
  // LAPACK picks the greatest |re| + |im|, up to sqrt 2 below the greatest modulus.
  Requirement small{"lu", "|L| is at most sqrt 2", {}, {}, {a.rows, k}};
  for (const Number& element : l.elements) {
    small.errors.push_back(Excess(std::abs(element) - std::sqrt(2.0)));
    small.limits.push_back(kDirect * parts.unit);
  }
  checks.push_back(std::move(small));
  // A device may take a subnormal pivot for zero.
  int64_t zero = 0, vanished = 0;
  for (int64_t i = k; i-- > 0;) {
    if (u(i, i) == Number(0)) zero = i + 1;
    if (std::abs(u(i, i)) < LeastNormal(parts)) vanished = i + 1;
  }
  const bool flushes = parts.Has("info") && parts["info"](0, 0).real() == static_cast<double>(vanished);
  AddInfo(parts, static_cast<double>(flushes ? vanished : zero), checks);
  return If(IsJudged(parts, Norm(a)), std::move(checks));
}

Checks TridiagonalSolve(const FactorParts& parts) {
  const DenseMatrix &dl = parts["dl"], &d = parts["d"], &du = parts["du"], &b = parts["b"], &x = parts["x"];
  const int64_t n = d.rows;
  const DenseMatrix t = MakeMatrix(n, n, [&](int64_t i, int64_t j) -> Number {
    if (i == j) return d(i, 0);
    if (i == j + 1) return dl(i, 0);
    return j == i + 1 ? du(i, 0) : Number(0);
  });
  Checks checks = {
      {"x", "T X = B within 20 n u |T||X|", ColumnNorms(t * x - b), {}, {x.columns}},
  };
  for (const double norm : ColumnNorms(x)) {
    checks[0].limits.push_back(OwnLimit(parts, kDirect * Sides(t), norm * Norm(t)));
  }
  AddInfo(parts, 0, checks);
  return If(IsJudged(parts, Norm(t)) && IsJudged(parts, Norm(b)), std::move(checks));
}

Checks Permutation(const FactorParts& parts) {
  const DenseMatrix& pivots = parts["pivots"];
  const DenseMatrix& permutation = parts["permutation"];
  std::vector<int64_t> rows(static_cast<size_t>(permutation.rows));
  std::iota(rows.begin(), rows.end(), 0);
  bool judged = true;
  for (int64_t i = 0; i < pivots.rows; ++i) {
    const double pivot = pivots(i, 0).real();
    const bool fits = pivot >= 0 && pivot < static_cast<double>(permutation.rows) && i < permutation.rows;
    if (fits) std::swap(rows[static_cast<size_t>(i)], rows[static_cast<size_t>(pivot)]);
    judged = judged && fits;
  }
  std::vector<double> errors;
  for (int64_t i = 0; i < permutation.rows; ++i) {
    errors.push_back(std::abs(permutation(i, 0).real() - static_cast<double>(rows[static_cast<size_t>(i)])));
  }
  return If(judged, {Exactly("permutation", "rows swapped in turn", std::move(errors))});
}

// Pivot i is a row from i on.
void MakePivots(FactorParts& parts) {
  DenseMatrix& pivots = parts.values["pivots"];
  for (int64_t i = 0; i < pivots.rows; ++i) {
    const auto drawn = static_cast<int64_t>(std::abs(pivots(i, 0).real()));
    pivots(i, 0) = static_cast<double>(i + drawn % (pivots.rows - i));
  }
}

}  // namespace opbyop::reference::factors
