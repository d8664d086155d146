// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Factorizations by Householder reflections: QR, and the forms that precede eigenvalues.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "reference/meanings/families.h"

namespace opbyop::reference::factors {
namespace {

// Column i of `packed` below its row i + below, which is 1: the vector v of H_i = I - tau_i v v^H.
std::vector<Number> Reflector(const DenseMatrix& packed, int64_t i, int64_t below) {
  std::vector<Number> v(static_cast<size_t>(packed.rows));
  const int64_t first = i + below;
  if (first < packed.rows) v[static_cast<size_t>(first)] = 1;
  for (int64_t r = first + 1; r < packed.rows; ++r) v[static_cast<size_t>(r)] = packed(r, i);
  return v;
}

// Q c, or its adjoint's product, where Q = H_1 ... H_k.
DenseMatrix Reflect(const DenseMatrix& packed, const DenseMatrix& tau, DenseMatrix c, bool adjoint = false,
                    int64_t below = 0) {
  for (int64_t step = 0; step < tau.rows; ++step) {
    const int64_t i = adjoint ? step : tau.rows - 1 - step;
    const std::vector<Number> v = Reflector(packed, i, below);
    const Number factor = adjoint ? std::conj(tau(i, 0)) : tau(i, 0);
    std::vector<Number> products(static_cast<size_t>(c.columns));
    for (int64_t r = i + below; r < c.rows; ++r) {
      for (int64_t j = 0; j < c.columns; ++j) {
        products[static_cast<size_t>(j)] += std::conj(v[static_cast<size_t>(r)]) * c(r, j);
      }
    }
    for (int64_t r = i + below; r < c.rows; ++r) {
      for (int64_t j = 0; j < c.columns; ++j) {
        c(r, j) -= factor * v[static_cast<size_t>(r)] * products[static_cast<size_t>(j)];
      }
    }
  }
  return c;
}

double SquareOf(const std::vector<Number>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0, [](double sum, const Number& x) { return sum + std::norm(x); });
}

// How much a product with the reflections may enlarge an error: 1 if they are unitary. H = I - tau v v^H is normal, so
// its norm is the larger of 1 and |1 - tau |v|^2|.
double GrowthOf(const DenseMatrix& packed, const DenseMatrix& tau) {
  if (!std::isfinite(Norm(packed)) || !std::isfinite(Norm(tau))) return kOpen;
  double growth = 1, most = 3;
  for (int64_t i = 0; i < tau.rows; ++i) {
    const double square = SquareOf(Reflector(packed, i, 0));
    growth *= std::max(1.0, std::abs(1.0 - tau(i, 0) * square));
    most = std::max(most, 1 + std::abs(tau(i, 0)) * square);
  }
  return growth * most / 3;
}

Checks QrOf(const FactorParts& parts, const DenseMatrix& a) {
  const DenseMatrix& packed = parts["packed"];
  const DenseMatrix& tau = parts["tau"];
  const double steps = kDirect * Sides(a);
  const DenseMatrix q = Reflect(packed, tau, DenseMatrix::Identity(a.rows, a.rows));
  return If(IsJudged(parts, Norm(a)), {ByColumns(parts, "packed", "Q R = A within 10 (n + m) u of each column",
                                                 a - q * Upper(packed), steps, ColumnNorms(a)),
                                       Orthonormal(parts, "tau", "Q^H Q = I within 10 (n + m) u", q, steps)});
}

// x is Q c, or its product with the adjoint of Q.
Checks ProductOf(const FactorParts& parts, const DenseMatrix& c, const DenseMatrix& x, bool adjoint) {
  const DenseMatrix& packed = parts["packed"];
  std::vector<double> norms = ColumnNorms(c);
  for (double& norm : norms) norm *= GrowthOf(packed, parts["tau"]);
  return {ByColumns(parts, "x", "the product with H_1 ... H_k within 10 (n + m) u of each vector",
                    x - Reflect(packed, parts["tau"], c, adjoint), kDirect * Sides(packed), norms)};
}

// A = Q M Q^H for the Q of reflections that begin one row below the diagonal.
Checks Similar(const FactorParts& parts, const DenseMatrix& a, const DenseMatrix& packed, const DenseMatrix& tau,
               const std::vector<std::string>& results, const DenseMatrix& middle) {
  const double steps = kDirect * Sides(a);
  const DenseMatrix q = Reflect(packed, tau, DenseMatrix::Identity(a.rows, a.rows), false, 1);
  Checks checks = {Orthonormal(parts, "tau", "Q^H Q = I within 20 n u", q, steps)};
  for (const std::string& result : results) {
    checks.push_back(ByColumns(parts, result, "A Q = Q M within 20 n u |A|", a * q - q * middle, steps, Norm(a)));
  }
  AddInfo(parts, 0, checks);
  return If(IsJudged(parts, Norm(a)), std::move(checks));
}

// Reversing the rows and columns of an upper triangle gives a lower one.
DenseMatrix Reversed(const DenseMatrix& x) {
  return MakeMatrix(x.rows, x.columns,
                    [&](int64_t i, int64_t j) { return x(x.rows - 1 - i, x.columns == 1 ? 0 : x.columns - 1 - j); });
}

}  // namespace

Checks Qr(const FactorParts& parts) { return QrOf(parts, parts["a"]); }

Checks PivotedQr(const FactorParts& parts) {
  const DenseMatrix& a = parts["a"];
  const DenseMatrix& chosen = parts["columns_out"];
  std::vector<double> errors;
  std::vector<char> taken(static_cast<size_t>(a.columns), 0);
  DenseMatrix permuted = a;
  for (int64_t j = 0; j < a.columns; ++j) {
    const double at = chosen(j, 0).real() - 1;
    const bool fits = at >= 0 && at < static_cast<double>(a.columns) && taken[static_cast<size_t>(at)] == 0;
    errors.push_back(fits ? 0 : 1);
    if (!fits) continue;
    taken[static_cast<size_t>(at)] = 1;
    for (int64_t i = 0; i < a.rows; ++i) permuted(i, j) = a(i, static_cast<int64_t>(at));
  }
  Checks checks = QrOf(parts, permuted);
  checks.push_back(Exactly("columns_out", "the columns are permuted", std::move(errors)));
  // The columns that were pinned to the front may be in any order.
  int64_t pinned = 0;
  for (const Number& column : parts["columns"].elements) pinned += column.real() != 0;
  Requirement falling{"packed", "|R_ii| falls within 10 (n + m) u |A|", {}, {}, {}};
  for (int64_t i = 0; i + 1 < std::min(a.rows, a.columns); ++i) {
    const double rise = std::abs(parts["packed"](i + 1, i + 1)) - std::abs(parts["packed"](i, i));
    falling.errors.push_back(i < pinned ? 0 : Excess(rise));
    falling.limits.push_back(Limit(parts, kDirect * Sides(a), Norm(a)));
  }
  falling.shape = {static_cast<int64_t>(falling.errors.size())};
  checks.push_back(std::move(falling));
  return If(IsJudged(parts, Norm(a)), std::move(checks));
}

// No column is pinned.
void FreeColumns(FactorParts& parts) { std::ranges::fill(parts.values["columns"].elements, Number(0)); }

Checks HouseholderProduct(const FactorParts& parts) {
  const DenseMatrix& q = parts["q"];
  const DenseMatrix& packed = parts["packed"];
  const DenseMatrix right = Reflect(packed, parts["tau"], DenseMatrix::Identity(q.rows, q.columns));
  return {ByColumns(parts, "q", "Q = H_1 ... H_k within 10 (n + m) u", q - right, kDirect * Sides(packed),
                    GrowthOf(packed, parts["tau"]))};
}

Checks LeftProduct(const FactorParts& parts) {
  return ProductOf(parts, parts["c"], parts["x"], parts.Option("adjoint") != 0);
}

// C Q is the adjoint of Q^H C^H.
Checks RightProduct(const FactorParts& parts) {
  return ProductOf(parts, Adjoint(parts["c"]), Adjoint(parts["x"]), parts.Option("adjoint") == 0);
}

// Makes the reflections unitary.
void MakeUnitary(FactorParts& parts) {
  DenseMatrix& tau = parts.values["tau"];
  for (int64_t i = 0; i < tau.rows; ++i) tau(i, 0) = 2 / SquareOf(Reflector(parts["packed"], i, 0));
}

Checks Hessenberg(const FactorParts& parts) {
  const DenseMatrix& packed = parts["packed"];
  return Similar(parts, parts["a"], packed, parts["tau"], {"packed"}, Upper(packed, -1));
}

Checks Tridiagonal(const FactorParts& parts) {
  const bool lower = parts.Option("lower") != 0;
  const auto side = [&](const DenseMatrix& x) { return lower ? x : Reversed(x); };
  const DenseMatrix a = side(Hermitian(parts["a"], lower));
  const DenseMatrix d = side(parts["d"]), e = side(parts["e"]);
  const DenseMatrix middle = MakeMatrix(a.rows, a.rows, [&](int64_t i, int64_t j) -> Number {
    if (i == j) return d(i, 0);
    if (i == j + 1) return e(j, 0);
    return j == i + 1 ? std::conj(e(i, 0)) : Number(0);
  });
  return Similar(parts, a, side(parts["packed"]), side(parts["tau"]), {"packed", "d", "e"}, middle);
}

}  // namespace opbyop::reference::factors
