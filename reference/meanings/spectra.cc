// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Eigenvalues and singular values.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "reference/meanings/families.h"

namespace opbyop::reference::factors {
namespace {

// The values rise, or fall with `sign` -1. Subnormal ones may have vanished.
Requirement Sorted(const FactorParts& parts, const std::string& result, double sign) {
  const DenseMatrix& w = parts[result];
  std::vector<double> errors;
  for (int64_t i = 0; i + 1 < w.rows; ++i) {
    errors.push_back(Excess(sign * (w(i, 0).real() - w(i + 1, 0).real()) - LeastNormal(parts)));
  }
  return Exactly(result, sign > 0 ? "the values rise" : "the values fall", std::move(errors));
}

// By rotations of pairs of columns until all are orthogonal (Jacobi's method, one-sided), which finds small values too.
std::vector<double> SingularValues(DenseMatrix a) {
  if (a.rows < a.columns) a = Adjoint(a);
  constexpr int kSweeps = 60;
  bool turned = true;
  for (int sweep = 0; turned && sweep < kSweeps; ++sweep) {
    turned = false;
    for (int64_t p = 0; p < a.columns; ++p) {
      for (int64_t q = p + 1; q < a.columns; ++q) {
        double x = 0, y = 0;
        Number product = 0;
        for (int64_t i = 0; i < a.rows; ++i) {
          x += std::norm(a(i, p));
          y += std::norm(a(i, q));
          product += std::conj(a(i, p)) * a(i, q);
        }
        const double size = std::abs(product);
        if (!(size > 1e-15 * std::sqrt(x * y))) continue;
        turned = true;
        const Number phase = product / size;
        const double zeta = (y - x) / (2 * size);
        const double t = std::copysign(1 / (std::abs(zeta) + std::sqrt(1 + zeta * zeta)), zeta);
        const double c = 1 / std::sqrt(1 + t * t), s = c * t;
        for (int64_t i = 0; i < a.rows; ++i) {
          const Number left = a(i, p), right = a(i, q) * std::conj(phase);
          a(i, p) = c * left - s * right;
          a(i, q) = s * left + c * right;
        }
      }
    }
  }
  std::vector<double> values = ColumnNorms(a);
  std::ranges::sort(values, std::greater());
  return values;
}

// Eigenvalues that are given as complex numbers or as two vectors.
DenseMatrix Eigenvalues(const FactorParts& parts) {
  if (parts.Has("w")) return parts["w"];
  return MakeMatrix(parts["wr"].rows, 1,
                    [&](int64_t i, int64_t) { return Number(parts["wr"](i, 0).real(), parts["wi"](i, 0).real()); });
}

// By how much the scaling differs with which LAPACK balances a matrix before it looks for eigenvalues: an error relative
// to the balanced matrix is greater by as much in the matrix itself (xGEBAL).
double BalanceOf(DenseMatrix a) {
  if (!std::isfinite(Norm(a))) return 1;
  std::vector<double> scales(static_cast<size_t>(a.rows), 1);
  constexpr int kMostRounds = 100;
  bool scaled = true;
  for (int round = 0; scaled && round < kMostRounds; ++round) {
    scaled = false;
    for (int64_t i = 0; i < a.rows; ++i) {
      double column = 0, row = 0;
      for (int64_t j = 0; j < a.rows; ++j) {
        column += j == i ? 0 : std::abs(a(j, i));
        row += j == i ? 0 : std::abs(a(i, j));
      }
      if (column == 0 || row == 0) continue;
      const double sum = column + row;
      double factor = 1;
      for (; column < row / 2; column *= 4) factor *= 2;
      for (; column >= row * 2; column /= 4) factor /= 2;
      if ((column + row) / factor >= 0.95 * sum) continue;
      scaled = true;
      scales[static_cast<size_t>(i)] *= factor;
      for (int64_t j = 0; j < a.rows; ++j) a(i, j) /= factor;
      for (int64_t j = 0; j < a.rows; ++j) a(j, i) *= factor;
    }
  }
  return scales.empty() ? 1 : *std::ranges::max_element(scales) / *std::ranges::min_element(scales);
}

}  // namespace

Checks Eigh(const FactorParts& parts) {
  const DenseMatrix h = Hermitian(parts["a"], parts.Option("lower") != 0);
  const DenseMatrix& v = parts["v"];
  const DenseMatrix& w = parts["w"];
  const double steps = kIterative * Sides(h);
  Checks checks = {
      ByColumns(parts, "v", "A V = V diag(w) within 60 n u |A|", h * v - ScaleColumns(v, w), steps, Norm(h)),
      Orthonormal(parts, "v", "V^H V = I within 60 n u", v, steps)};
  // The eigenvalues belong to V, which may have been refused for an error of either.
  Requirement values = checks.front();
  values.result = "w";
  checks.push_back(std::move(values));
  if (parts.Option("sorted", 1) != 0) checks.push_back(Sorted(parts, "w", 1));
  AddInfo(parts, 0, checks);
  return If(IsJudged(parts, Norm(h)), std::move(checks));
}

Checks Svd(const FactorParts& parts) {
  const DenseMatrix& a = parts["a"];
  const DenseMatrix& s = parts["s"];
  const DenseMatrix& u = parts["u"];
  const DenseMatrix v = parts.Has("v") ? parts["v"] : Adjoint(parts["vh"]);
  const std::string right = parts.Has("v") ? "v" : "vh";
  const double steps = kIterative * Sides(a);
  const DenseMatrix product = ScaleColumns(Corner(u, u.rows, s.rows), s) * Adjoint(Corner(v, v.rows, s.rows));
  Checks checks = {ByColumns(parts, "u", "A = U diag(s) V^H within 30 (n + m) u |A|", a - product, steps, Norm(a)),
                   Orthonormal(parts, "u", "U^H U = I within 30 (n + m) u", u, steps),
                   Orthonormal(parts, right, "V^H V = I within 30 (n + m) u", v, steps)};
  for (const std::string& result : {std::string("s"), right}) {
    checks.push_back(checks.front());
    checks.back().result = result;
  }
  std::vector<double> negative;
  for (const Number& value : s.elements) negative.push_back(Excess(-value.real() - LeastNormal(parts)));
  checks.push_back(Exactly("s", "no value is negative", std::move(negative)));
  checks.push_back(Sorted(parts, "s", -1));
  AddInfo(parts, 0, checks);
  return If(IsJudged(parts, Norm(a)), std::move(checks));
}

// Singular values without vectors, which are compared with those of the matrix.
Checks SingularValuesOnly(const FactorParts& parts) {
  const DenseMatrix& a = parts["a"];
  const DenseMatrix& s = parts["s"];
  const double norm = Norm(a);
  const double limit = Limit(parts, kIterative * Sides(a), norm);
  Checks checks;
  if (limit == kOpen) {
    checks.push_back(Exactly("s", "the matrix is not finite", std::vector<double>(s.elements.size())));
  } else {
    const std::vector<double> values = SingularValues(a);
    Requirement check{"s", "the singular values within 30 (n + m) u |A|", {}, {}, {s.rows}};
    for (int64_t i = 0; i < s.rows; ++i) {
      check.errors.push_back(std::abs(s(i, 0) - values[static_cast<size_t>(i)]));
      check.limits.push_back(limit);
    }
    checks.push_back(std::move(check));
  }
  AddInfo(parts, 0, checks);
  return If(limit != kOpen, std::move(checks));
}

Checks Eig(const FactorParts& parts) {
  const DenseMatrix& a = parts["a"];
  const DenseMatrix w = Eigenvalues(parts);
  const double steps = kIterative * Sides(a), norm = Norm(a);
  const double balance = BalanceOf(a);
  Checks checks;
  const auto add = [&](const std::string& name, const DenseMatrix& of, const DenseMatrix& values,
                       const std::string& rule) {
    const DenseMatrix& v = parts[name];
    checks.push_back(ByColumns(parts, name, rule, of * v - ScaleColumns(v, values), steps * balance, norm));
    Requirement lengths{name, "columns have norm 1 within 60 n u", ColumnNorms(v), {}, {v.columns}};
    for (double& length : lengths.errors) length = std::abs(length - 1);
    lengths.limits.assign(lengths.errors.size(), Limit(parts, steps, 1));
    checks.push_back(std::move(lengths));
  };
  if (parts.Option("right", 1) != 0) add("vr", a, w, "A V = V diag(w) within 60 n u d |A|");
  if (parts.Option("left") != 0 && parts.Has("vl")) {
    const DenseMatrix conjugates = MakeMatrix(w.rows, 1, [&](int64_t i, int64_t) { return std::conj(w(i, 0)); });
    add("vl", Adjoint(a), conjugates, "V^H A = diag(w) V^H within 60 n u d |A|");
  }
  // Pairs that are right may be the same pair. These sums are those of A + E for a small E.
  Number sum = 0, squares = 0;
  for (int64_t i = 0; i < a.rows; ++i) {
    sum += w(i, 0) - a(i, i);
    squares += w(i, 0) * w(i, 0);
    for (int64_t k = 0; k < a.rows; ++k) squares -= a(i, k) * a(k, i);
  }
  const std::string values = parts.Has("w") ? "w" : "wr";
  const double root = std::sqrt(static_cast<double>(a.rows));
  checks.push_back({values,
                    "the sums of eigenvalues and of their squares within 60 n^1.5 u |A|",
                    {std::abs(sum), std::abs(squares)},
                    {Limit(parts, steps * root, norm), Limit(parts, 2 * steps * root, norm) * norm},
                    {2}});
  if (parts.Has("wi")) {
    checks.push_back(checks.back());
    checks.back().result = "wi";
  }
  AddInfo(parts, 0, checks);
  return If(IsJudged(parts, norm), std::move(checks));
}

Checks Schur(const FactorParts& parts) {
  const DenseMatrix& a = parts["a"];
  const DenseMatrix& t = parts["t"];
  const DenseMatrix& z = parts["z"];
  const DenseMatrix w = Eigenvalues(parts);
  const int64_t n = a.rows;
  const double steps = kIterative * Sides(a), norm = Norm(a), limit = Limit(parts, steps, norm);
  Checks checks = {ByColumns(parts, "t", "A Z = Z T within 60 n u |A|", a * z - z * t, steps, norm),
                   Orthonormal(parts, "z", "Z^H Z = I within 60 n u", z, steps)};
  // A real T has blocks of two rows with a pair of complex eigenvalues.
  const auto is_block = [&](int64_t j) {
    const double product = (t(j, j + 1) * t(j + 1, j)).real();
    return !parts.complex && product < 0 && std::abs(t(j, j) - t(j + 1, j + 1)) <= limit &&
           (j == 0 || t(j, j - 1) == Number(0)) && (j + 2 >= n || t(j + 2, j + 1) == Number(0));
  };
  DenseMatrix below = Lower(t, -1);
  DenseMatrix wrong = MakeMatrix(n, 1, [&](int64_t i, int64_t) { return w(i, 0) - t(i, i); });
  for (int64_t j = 0; j + 1 < n; ++j) {
    if (t(j + 1, j) == Number(0) || !is_block(j)) continue;
    below(j + 1, j) = 0;
    const double imaginary = std::sqrt(std::abs(t(j, j + 1) * t(j + 1, j)));
    wrong(j, 0) -= Number(0, imaginary);
    wrong(j + 1, 0) += Number(0, imaginary);
  }
  checks.push_back(ByColumns(parts, "t", "T is triangular, with blocks of two rows if it is real", below, steps, norm));
  Requirement values = ByColumns(parts, parts.Has("w") ? "w" : "wr", "the eigenvalues are those of T within 60 n u |A|",
                                 MakeMatrix(1, n, [&](int64_t, int64_t j) { return wrong(j, 0); }), steps, norm);
  checks.push_back(values);
  if (parts.Has("wi")) {
    values.result = "wi";
    checks.push_back(std::move(values));
  }
  if (parts.Has("selected")) {
    checks.push_back(Exactly("selected", "no eigenvalue is selected", {std::abs(parts["selected"](0, 0))}));
  }
  AddInfo(parts, 0, checks);
  return If(limit != kOpen, std::move(checks));
}

}  // namespace opbyop::reference::factors
