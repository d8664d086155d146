// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/meanings/properties.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace opbyop::reference {
namespace {

using Number = std::complex<double>;
using Checks = std::vector<Requirement>;

constexpr double kOpen = std::numeric_limits<double>::infinity();
// Roundings that an element of a factor goes through, per row and column of the matrix: by a fixed number of
// reflections or eliminations, and by iterations until convergence.
constexpr double kDirect = 10;
constexpr double kIterative = 30;

// x, or 0 if it is not above 0. NaN stays NaN.
double Excess(double x) { return x <= 0 ? 0 : x; }

double Sides(const Matrix& x) { return static_cast<double>(x.rows + x.columns); }

double LeastNormal(const FactorParts& parts) { return std::ldexp(1.0, parts.format.min_exponent); }

// The limit of an error that is `steps` roundings of something of this norm. Nothing is demanded where squares of the
// norm overflow, or of a matrix that is not finite. Squares vanish below the root of the least normal number.
double Limit(const FactorParts& parts, double steps, double norm) {
  const bool judged = norm <= std::sqrt(parts.format.max_finite);
  return judged ? steps * (parts.unit * norm + std::sqrt(LeastNormal(parts))) : kOpen;
}

// One error for each column.
Requirement ByColumns(const FactorParts& parts, std::string result, std::string rule, const Matrix& error, double steps,
                      const std::vector<double>& norms) {
  Requirement check{std::move(result), std::move(rule), ColumnNorms(error), {}, {error.columns}};
  for (const double norm : norms) check.limits.push_back(Limit(parts, steps, norm));
  return check;
}

Requirement ByColumns(const FactorParts& parts, std::string result, std::string rule, const Matrix& error, double steps,
                      double norm) {
  return ByColumns(parts, std::move(result), std::move(rule), error, steps,
                   std::vector<double>(static_cast<size_t>(error.columns), norm));
}

// The limit relative to what the device itself gave. Nothing excuses what is not finite.
double OwnLimit(const FactorParts& parts, double steps, double scale) {
  return std::isfinite(scale) ? steps * (parts.unit * scale + std::sqrt(LeastNormal(parts))) : 0;
}

// One error for each element, relative to an element of `scale`, which the device gave.
Requirement ByElements(const FactorParts& parts, std::string result, std::string rule, const Matrix& error,
                       double steps, const Matrix& scale) {
  Requirement check{std::move(result), std::move(rule), {}, {}, {error.rows, error.columns}};
  for (const Number& element : error.elements) check.errors.push_back(std::abs(element));
  for (const Number& element : scale.elements) check.limits.push_back(OwnLimit(parts, steps, std::abs(element)));
  return check;
}

Requirement Exactly(std::string result, std::string rule, std::vector<double> errors) {
  const auto count = static_cast<int64_t>(errors.size());
  std::vector<double> limits(errors.size(), 0);
  return {std::move(result), std::move(rule), std::move(errors), std::move(limits), {count}};
}

// Whether squares of numbers of this size are numbers of the type.
bool IsJudged(const FactorParts& parts, double norm) {
  return norm == 0 || (norm >= std::sqrt(LeastNormal(parts)) && Limit(parts, 1, norm) != kOpen);
}

// Info is 0 for a matrix that has the factorization.
void AddInfo(const FactorParts& parts, double expected, Checks& checks) {
  if (!parts.Has("info")) return;
  const double info = parts["info"](0, 0).real();
  checks.push_back(Exactly("info", fmt::format("info is {:g}", expected), {std::abs(info - expected)}));
}

// The demands, if the matrix is one for which there are any.
Checks If(bool judged, Checks checks) {
  if (judged) return checks;
  for (Requirement& check : checks) std::ranges::fill(check.limits, kOpen);
  return checks;
}

Requirement Orthonormal(const FactorParts& parts, std::string result, std::string rule, const Matrix& q, double steps) {
  return ByColumns(parts, std::move(result), std::move(rule), Adjoint(q) * q - Matrix::Identity(q.columns, q.columns),
                   steps, 1);
}

// ---- Reflections

// Column i of `packed` below its row i + below, which is 1: the vector v of H_i = I - tau_i v v^H.
std::vector<Number> Reflector(const Matrix& packed, int64_t i, int64_t below) {
  std::vector<Number> v(static_cast<size_t>(packed.rows));
  const int64_t first = i + below;
  if (first < packed.rows) v[static_cast<size_t>(first)] = 1;
  for (int64_t r = first + 1; r < packed.rows; ++r) v[static_cast<size_t>(r)] = packed(r, i);
  return v;
}

// Q c, or its adjoint's product, where Q = H_1 ... H_k.
Matrix Reflect(const Matrix& packed, const Matrix& tau, Matrix c, bool adjoint = false, int64_t below = 0) {
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
double GrowthOf(const Matrix& packed, const Matrix& tau) {
  if (!std::isfinite(Norm(packed)) || !std::isfinite(Norm(tau))) return kOpen;
  double growth = 1, most = 3;
  for (int64_t i = 0; i < tau.rows; ++i) {
    const double square = SquareOf(Reflector(packed, i, 0));
    growth *= std::max(1.0, std::abs(1.0 - tau(i, 0) * square));
    most = std::max(most, 1 + std::abs(tau(i, 0)) * square);
  }
  return growth * most / 3;
}

// ---- Properties

// Whether all eigenvalues are above `least`.
bool IsPositiveDefinite(Matrix h, double least) {
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

Checks Cholesky(const FactorParts& parts) {
  const bool lower = parts.Option("lower") != 0;
  const Matrix h = Hermitian(parts["a"], lower);
  const Matrix l = lower ? Lower(parts["l"]) : Adjoint(Upper(parts["l"]));
  const Matrix moduli = Moduli(l);
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
  Matrix& a = parts.values["a"];
  const auto n = static_cast<double>(std::max<int64_t>(a.rows, 1));
  const Matrix square = a * Adjoint(a);
  a = MakeMatrix(a.rows, a.columns,
                 [&](int64_t i, int64_t j) { return square(i, j) / n + Number(i == j ? 1.0 : 0.0); });
}

Checks Lu(const FactorParts& parts) {
  const Matrix& a = parts["a"];
  const Matrix& lu = parts["lu"];
  const Matrix& pivots = parts["pivots"];
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
  const Matrix permuted =
      MakeMatrix(a.rows, a.columns, [&](int64_t i, int64_t j) { return a(rows[static_cast<size_t>(i)], j); });
  Matrix l = Corner(Lower(lu, -1), a.rows, k);
  for (int64_t i = 0; i < k; ++i) l(i, i) = 1;
  const Matrix u = Corner(Upper(lu), k, a.columns);
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

Checks QrOf(const FactorParts& parts, const Matrix& a) {
  const Matrix& packed = parts["packed"];
  const Matrix& tau = parts["tau"];
  const double steps = kDirect * Sides(a);
  const Matrix q = Reflect(packed, tau, Matrix::Identity(a.rows, a.rows));
  return If(IsJudged(parts, Norm(a)), {ByColumns(parts, "packed", "Q R = A within 10 (n + m) u of each column",
                                                 a - q * Upper(packed), steps, ColumnNorms(a)),
                                       Orthonormal(parts, "tau", "Q^H Q = I within 10 (n + m) u", q, steps)});
}

Checks Qr(const FactorParts& parts) { return QrOf(parts, parts["a"]); }

Checks PivotedQr(const FactorParts& parts) {
  const Matrix& a = parts["a"];
  const Matrix& chosen = parts["columns_out"];
  std::vector<double> errors;
  std::vector<char> taken(static_cast<size_t>(a.columns), 0);
  Matrix permuted = a;
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
  const Matrix& q = parts["q"];
  const Matrix& packed = parts["packed"];
  const Matrix right = Reflect(packed, parts["tau"], Matrix::Identity(q.rows, q.columns));
  return {ByColumns(parts, "q", "Q = H_1 ... H_k within 10 (n + m) u", q - right, kDirect * Sides(packed),
                    GrowthOf(packed, parts["tau"]))};
}

// x is Q c, or its product with the adjoint of Q.
Checks ProductOf(const FactorParts& parts, const Matrix& c, const Matrix& x, bool adjoint) {
  const Matrix& packed = parts["packed"];
  std::vector<double> norms = ColumnNorms(c);
  for (double& norm : norms) norm *= GrowthOf(packed, parts["tau"]);
  return {ByColumns(parts, "x", "the product with H_1 ... H_k within 10 (n + m) u of each vector",
                    x - Reflect(packed, parts["tau"], c, adjoint), kDirect * Sides(packed), norms)};
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
  Matrix& tau = parts.values["tau"];
  for (int64_t i = 0; i < tau.rows; ++i) tau(i, 0) = 2 / SquareOf(Reflector(parts["packed"], i, 0));
}

// The values rise, or fall with `sign` -1. Subnormal ones may have vanished.
Requirement Sorted(const FactorParts& parts, const std::string& result, double sign) {
  const Matrix& w = parts[result];
  std::vector<double> errors;
  for (int64_t i = 0; i + 1 < w.rows; ++i) {
    errors.push_back(Excess(sign * (w(i, 0).real() - w(i + 1, 0).real()) - LeastNormal(parts)));
  }
  return Exactly(result, sign > 0 ? "the values rise" : "the values fall", std::move(errors));
}

Checks Eigh(const FactorParts& parts) {
  const Matrix h = Hermitian(parts["a"], parts.Option("lower") != 0);
  const Matrix& v = parts["v"];
  const Matrix& w = parts["w"];
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
  const Matrix& a = parts["a"];
  const Matrix& s = parts["s"];
  const Matrix& u = parts["u"];
  const Matrix v = parts.Has("v") ? parts["v"] : Adjoint(parts["vh"]);
  const std::string right = parts.Has("v") ? "v" : "vh";
  const double steps = kIterative * Sides(a);
  const Matrix product = ScaleColumns(Corner(u, u.rows, s.rows), s) * Adjoint(Corner(v, v.rows, s.rows));
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

// By rotations of pairs of columns until all are orthogonal (Jacobi's method, one-sided), which finds small values too.
std::vector<double> SingularValues(Matrix a) {
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

// Singular values without vectors, which are compared with those of the matrix.
Checks SingularValuesOnly(const FactorParts& parts) {
  const Matrix& a = parts["a"];
  const Matrix& s = parts["s"];
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

// Eigenvalues that are given as complex numbers or as two vectors.
Matrix Eigenvalues(const FactorParts& parts) {
  if (parts.Has("w")) return parts["w"];
  return MakeMatrix(parts["wr"].rows, 1,
                    [&](int64_t i, int64_t) { return Number(parts["wr"](i, 0).real(), parts["wi"](i, 0).real()); });
}

// By how much the scaling differs with which LAPACK balances a matrix before it looks for eigenvalues: an error relative
// to the balanced matrix is greater by as much in the matrix itself (xGEBAL).
double BalanceOf(Matrix a) {
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

Checks Eig(const FactorParts& parts) {
  const Matrix& a = parts["a"];
  const Matrix w = Eigenvalues(parts);
  const double steps = kIterative * Sides(a), norm = Norm(a);
  const double balance = BalanceOf(a);
  Checks checks;
  const auto add = [&](const std::string& name, const Matrix& of, const Matrix& values, const std::string& rule) {
    const Matrix& v = parts[name];
    checks.push_back(ByColumns(parts, name, rule, of * v - ScaleColumns(v, values), steps * balance, norm));
    Requirement lengths{name, "columns have norm 1 within 60 n u", ColumnNorms(v), {}, {v.columns}};
    for (double& length : lengths.errors) length = std::abs(length - 1);
    lengths.limits.assign(lengths.errors.size(), Limit(parts, steps, 1));
    checks.push_back(std::move(lengths));
  };
  if (parts.Option("right", 1) != 0) add("vr", a, w, "A V = V diag(w) within 60 n u d |A|");
  if (parts.Option("left") != 0 && parts.Has("vl")) {
    const Matrix conjugates = MakeMatrix(w.rows, 1, [&](int64_t i, int64_t) { return std::conj(w(i, 0)); });
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
  const Matrix& a = parts["a"];
  const Matrix& t = parts["t"];
  const Matrix& z = parts["z"];
  const Matrix w = Eigenvalues(parts);
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
  Matrix below = Lower(t, -1);
  Matrix wrong = MakeMatrix(n, 1, [&](int64_t i, int64_t) { return w(i, 0) - t(i, i); });
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

// A = Q M Q^H for the Q of reflections that begin one row below the diagonal.
Checks Similar(const FactorParts& parts, const Matrix& a, const Matrix& packed, const Matrix& tau,
               const std::vector<std::string>& results, const Matrix& middle) {
  const double steps = kDirect * Sides(a);
  const Matrix q = Reflect(packed, tau, Matrix::Identity(a.rows, a.rows), false, 1);
  Checks checks = {Orthonormal(parts, "tau", "Q^H Q = I within 20 n u", q, steps)};
  for (const std::string& result : results) {
    checks.push_back(ByColumns(parts, result, "A Q = Q M within 20 n u |A|", a * q - q * middle, steps, Norm(a)));
  }
  AddInfo(parts, 0, checks);
  return If(IsJudged(parts, Norm(a)), std::move(checks));
}

Checks Hessenberg(const FactorParts& parts) {
  const Matrix& packed = parts["packed"];
  return Similar(parts, parts["a"], packed, parts["tau"], {"packed"}, Upper(packed, -1));
}

// Reversing the rows and columns of an upper triangle gives a lower one.
Matrix Reversed(const Matrix& x) {
  return MakeMatrix(x.rows, x.columns,
                    [&](int64_t i, int64_t j) { return x(x.rows - 1 - i, x.columns == 1 ? 0 : x.columns - 1 - j); });
}

Checks Tridiagonal(const FactorParts& parts) {
  const bool lower = parts.Option("lower") != 0;
  const auto side = [&](const Matrix& x) { return lower ? x : Reversed(x); };
  const Matrix a = side(Hermitian(parts["a"], lower));
  const Matrix d = side(parts["d"]), e = side(parts["e"]);
  const Matrix middle = MakeMatrix(a.rows, a.rows, [&](int64_t i, int64_t j) -> Number {
    if (i == j) return d(i, 0);
    if (i == j + 1) return e(j, 0);
    return j == i + 1 ? std::conj(e(i, 0)) : Number(0);
  });
  return Similar(parts, a, side(parts["packed"]), side(parts["tau"]), {"packed", "d", "e"}, middle);
}

Checks TridiagonalSolve(const FactorParts& parts) {
  const Matrix &dl = parts["dl"], &d = parts["d"], &du = parts["du"], &b = parts["b"], &x = parts["x"];
  const int64_t n = d.rows;
  const Matrix t = MakeMatrix(n, n, [&](int64_t i, int64_t j) -> Number {
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
  const Matrix& pivots = parts["pivots"];
  const Matrix& permutation = parts["permutation"];
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
  Matrix& pivots = parts.values["pivots"];
  for (int64_t i = 0; i < pivots.rows; ++i) {
    const auto drawn = static_cast<int64_t>(std::abs(pivots(i, 0).real()));
    pivots(i, 0) = static_cast<double>(i + drawn % (pivots.rows - i));
  }
}

// "a[n,m]" as its name and sizes.
struct Part {
  llvm::StringRef name;
  llvm::SmallVector<llvm::StringRef, 2> sizes;

  explicit Part(llvm::StringRef text) {
    const auto [left, right] = text.split('[');
    name = left;
    if (!right.empty()) right.drop_back().split(sizes, ',');
  }
};

}  // namespace

const std::vector<Property>& Properties() {
  static const std::vector<Property> properties = {
      {"cholesky", "a[n,n] l[n,n] info?", {"lower"}, &Cholesky, &MakePositiveDefinite},
      {"lu", "a[n,m] lu[n,m] pivots[k] permutation[n]? info?", {"first_row"}, &Lu},
      {"qr", "a[n,m] packed[n,m] tau[k]", {}, &Qr},
      {"pivoted_qr", "a[n,m] columns[m] packed[n,m] columns_out[m] tau[k]", {}, &PivotedQr, &FreeColumns},
      {"householder_product", "packed[n,m] tau[t] q[n,p]", {}, &HouseholderProduct, &MakeUnitary, "tm"},
      {"left_householder_product", "packed[n,m] tau[t] c[n,p] x[n,p]", {"adjoint"}, &LeftProduct, &MakeUnitary, "tm"},
      {"right_householder_product", "packed[n,m] tau[t] c[p,n] x[p,n]", {"adjoint"}, &RightProduct, &MakeUnitary, "tm"},
      {"eigh", "a[n,n] v[n,n] w[n] info?", {"lower", "sorted"}, &Eigh},
      {"svd", "a[n,m] s[k] u[n,p] v[m,q]|vh[q,m] info?", {}, &Svd, nullptr, "kp kq"},
      {"singular_values", "a[n,m] s[k] info?", {}, &SingularValuesOnly},
      {"eig", "a[n,n] w[n]|wr[n]+wi[n] vl[n,n]? vr[n,n] info?", {"left", "right"}, &Eig},
      {"schur", "a[n,n] t[n,n] z[n,n] w[n]|wr[n]+wi[n] selected? info?", {}, &Schur},
      {"hessenberg", "a[n,n] packed[n,n] tau[t] info?", {}, &Hessenberg, nullptr, "tn"},
      {"tridiagonal", "a[n,n] packed[n,n] d[n] e[n-1] tau[n-1] info?", {"lower"}, &Tridiagonal},
      {"tridiagonal_solve", "dl[n] d[n] du[n] b[n,r] x[n,r] info?", {}, &TridiagonalSolve},
      {"pivots_to_permutation", "pivots[t] permutation[n]", {}, &Permutation, &MakePivots, "tn"},
  };
  return properties;
}

const Property* FindProperty(std::string_view name) {
  for (const Property& property : Properties()) {
    if (property.name == name) return &property;
  }
  return nullptr;
}

std::string WhyNoParts(const Property& property, const Sizes& sizes) {
  llvm::StringMap<int64_t> known;
  size_t used = 0;
  std::string why;
  const auto fits = [&](const Part& part) {
    const auto found = sizes.find(std::string_view(part.name));
    if (found == sizes.end()) return false;
    ++used;
    bool equal = found->second.size() == part.sizes.size();
    for (size_t d = 0; equal && d < part.sizes.size(); ++d) {
      int64_t size = found->second[d];
      llvm::StringRef letter = part.sizes[d];
      if (letter.consume_back("-1")) ++size;
      const auto n = known.find("n"), m = known.find("m");
      if (letter == "k" && n != known.end() && m != known.end()) {
        known[letter] = std::min(n->second, m->second);
      }
      equal = known.try_emplace(letter, size).first->second == size;
    }
    if (!equal && why.empty())
      why = fmt::format("{} has another shape than {} demands", part.name.str(), property.name);
    return true;
  };
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(property.parts).split(parts, ' ');
  for (llvm::StringRef text : parts) {
    const bool optional = text.consume_back("?");
    llvm::SmallVector<llvm::StringRef> ways;
    text.split(ways, '|');
    const int64_t given = llvm::count_if(ways, [&](llvm::StringRef way) {
      llvm::SmallVector<llvm::StringRef> together;
      way.split(together, '+');
      return llvm::count_if(together, [&](llvm::StringRef one) { return fits(Part(one)); }) ==
             static_cast<int64_t>(together.size());
    });
    if (given != 1 && !(optional && given == 0)) {
      return fmt::format("{} needs {}", property.name, Part(text).name.str());
    }
  }
  if (used != sizes.size()) return fmt::format("{} has only {}", property.name, property.parts);
  llvm::SmallVector<llvm::StringRef> pairs;
  llvm::StringRef(property.at_most).split(pairs, ' ', -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef pair : pairs) {
    if (known.lookup(pair.take_front()) > known.lookup(pair.drop_front()) && why.empty()) {
      why = fmt::format("its sizes are not those of {}", property.name);
    }
  }
  return why;
}

}  // namespace opbyop::reference
