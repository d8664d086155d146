// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cholesky and triangular_solve, by columns, in double.
#include <cmath>

#include "ir/stablehlo/stablehlo.h"
#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {
namespace {

template <typename T>
T Conjugate(T v) {
  if constexpr (std::is_same_v<T, Complex>) {
    return std::conj(v);
  } else {
    return v;
  }
}

double Modulus(double v) { return std::fabs(v); }
double Modulus(Complex v) { return std::abs(v); }

// Sets the bound of a result to the given errors plus the reference's own rounding.
void SetMatrixBound(Tensor& out, const std::vector<double>& errors, int64_t n, int depth) {
  const FloatFormat& format = FormatOf(out.type());
  auto bound = MakeBound(out.size(), "componentwise backward error, n=" + std::to_string(n), depth + 1);
  bound->zero_sign_free = true;
  const std::span<double> to = MutableSpan(*bound);
  for (size_t i = 0; i < to.size(); ++i) {
    const double value = out.kind() == ElementKind::kFloat ? out.data<double>()[i] : std::abs(out.data<Complex>()[i]);
    to[i] = std::isnan(errors[i]) ? std::numeric_limits<double>::infinity() : errors[i];
    if (to[i] > 0) to[i] += format.Ulp(value);
  }
  out.set_bound(std::move(bound));
}

// Returns k u / (1 - k u) for a type. For complex types u is multiplied by 2 sqrt 2. Infinite if k u is 1/2 or more.
double Gamma(double k, ElementType type) {
  const double ku = k * RoundoffOfBoth(FormatOf(type)) * (KindOf(type) == ElementKind::kComplex ? 2 * 1.4143 : 1);
  return ku < 0.5 ? ku / (1 - ku) : std::numeric_limits<double>::infinity();
}

// A computed factor satisfies L L* = A + E with |E| <= gamma |L||L*| (Higham, theorem 10.3). To first order the factor
// changes by L phi(L^-1 E L^-*), in which phi takes the lower triangle and half of the diagonal (Stewart 1997).
template <typename T>
void CholeskyErrors(const std::vector<T>& l, const std::vector<double>& input_errors, int64_t n, double gamma,
                    std::vector<double>& errors) {
  const auto at = [n](int64_t i, int64_t j) { return static_cast<size_t>(i * n + j); };
  std::vector<T> inverse(static_cast<size_t>(n * n), T(0));
  for (int64_t j = 0; j < n; ++j) {
    inverse[at(j, j)] = T(1) / l[at(j, j)];
    for (int64_t i = j + 1; i < n; ++i) {
      T sum(0);
      for (int64_t k = j; k < i; ++k) sum -= l[at(i, k)] * inverse[at(k, j)];
      inverse[at(i, j)] = sum / l[at(i, i)];
    }
  }
  const auto product = [&](auto&& a, auto&& b) {
    std::vector<double> c(static_cast<size_t>(n * n), 0.0);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t k = 0; k < n; ++k) {
        const double v = a(i, k);
        if (v == 0) continue;
        for (int64_t j = 0; j < n; ++j) c[at(i, j)] += v * b(k, j);
      }
    }
    return c;
  };
  const auto factor = [&](int64_t i, int64_t j) { return j <= i ? Modulus(l[at(i, j)]) : 0.0; };
  std::vector<double> e = product(factor, [&](int64_t i, int64_t j) { return factor(j, i); });
  for (size_t i = 0; i < e.size(); ++i) e[i] = gamma * e[i] + input_errors[i];
  const auto inv = [&](int64_t i, int64_t j) { return j <= i ? Modulus(inverse[at(i, j)]) : 0.0; };
  const std::vector<double> left = product(inv, [&](int64_t i, int64_t j) { return e[at(i, j)]; });
  const std::vector<double> both =
      product([&](int64_t i, int64_t j) { return left[at(i, j)]; }, [&](int64_t i, int64_t j) { return inv(j, i); });
  const auto phi = [&](int64_t i, int64_t j) { return j > i ? 0.0 : both[at(i, j)] * (i == j ? 0.5 : 1); };
  errors = product(factor, phi);
  // The second-order error is no more than the first-order error as long as the perturbation is below a half. The
  // factor of a matrix that is not positive definite has no inverse, or is NaN.
  double size = 0;
  for (const double v : both) size = std::isnan(v) ? std::numeric_limits<double>::infinity() : std::max(size, v);
  for (double& v : errors) v = size * static_cast<double>(n) < 0.5 ? 2 * v : std::numeric_limits<double>::infinity();
}

template <typename T>
Tensor CholeskyOf(const Tensor& a, bool lower, bool bounds, std::vector<double>& errors) {
  const int64_t n = a.shape().back();
  const int64_t batches = n == 0 ? 0 : a.size() / (n * n);
  Tensor out = Tensor::Zeros(a.type(), a.shape());
  const auto values = out.Mutable<T>();
  for (int64_t b = 0; b < batches; ++b) {
    const T* from = a.data<T>().data() + b * n * n;
    T* to = values.data() + b * n * n;
    // Access element (i, j) of the lower triangle. An upper factor is the conjugate transpose of the lower one.
    const auto read = [&](int64_t i, int64_t j) { return lower ? from[i * n + j] : Conjugate(from[j * n + i]); };
    const auto at = [&](int64_t i, int64_t j) -> T& { return lower ? to[i * n + j] : to[j * n + i]; };
    const auto l = [&](int64_t i, int64_t j) { return lower ? at(i, j) : Conjugate(at(i, j)); };
    for (int64_t j = 0; j < n; ++j) {
      T sum = read(j, j);
      for (int64_t k = 0; k < j; ++k) sum -= l(j, k) * Conjugate(l(j, k));
      const T diagonal = std::sqrt(sum);
      at(j, j) = diagonal;
      for (int64_t i = j + 1; i < n; ++i) {
        T s = read(i, j);
        for (int64_t k = 0; k < j; ++k) s -= l(i, k) * Conjugate(l(j, k));
        const T value = s / diagonal;
        at(i, j) = lower ? value : Conjugate(value);
      }
    }
    if (!bounds) continue;
    std::vector<T> factor(static_cast<size_t>(n * n), T(0));
    std::vector<double> input_errors(static_cast<size_t>(n * n), 0.0);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        if (j <= i) factor[static_cast<size_t>(i * n + j)] = l(i, j);
        // Only one triangle is read. Its errors apply to the mirrored elements too.
        const int64_t r = std::max(i, j);
        const int64_t c = std::min(i, j);
        input_errors[static_cast<size_t>(i * n + j)] = ErrorAt(a, b * n * n + (lower ? r * n + c : c * n + r));
      }
    }
    std::vector<double> own;
    CholeskyErrors(factor, input_errors, n, Gamma(static_cast<double>(n) + 1, a.type()), own);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) errors.push_back(own[static_cast<size_t>(lower ? i * n + j : j * n + i)]);
    }
  }
  RoundResult(out);
  return out;
}

Expected<Values> Cholesky(OpContext& context) {
  const Tensor& a = context.in(0);
  const bool lower = context.Bool("lower");
  std::vector<double> errors;
  Tensor out;
  if (a.kind() == ElementKind::kFloat) {
    out = CholeskyOf<double>(a, lower, context.bounds(), errors);
  } else if (a.kind() == ElementKind::kComplex) {
    out = CholeskyOf<Complex>(a, lower, context.bounds(), errors);
  } else {
    return context.Unsupported("cholesky of this type");
  }
  const int64_t n = a.shape().back();
  const Tensor* operands[] = {&a};
  if (context.bounds() && n > 0) SetMatrixBound(out, errors, n, DepthOf(operands));
  return Values{std::move(out)};
}

double Rounded(double v, const FloatFormat& format) { return RoundTo(format, v); }
Complex Rounded(Complex v, const FloatFormat& format) { return {RoundTo(format, v.real()), RoundTo(format, v.imag())}; }

// Every operation rounds to `step_format`. f64 does not change the values.
template <typename T>
Tensor Solve(const Tensor& a, const Tensor& b, bool left, bool lower, bool unit, stablehlo::Transpose transpose,
             const FloatFormat& step_format, const EvalOptions& options, std::vector<double>& errors) {
  const int64_t n = a.shape().back();
  const bool bounds = options.bounds;
  // Subnormals of narrower types are normal in f32.
  const int least = FormatOf(a.type()).min_exponent;
  const double flushed = options.flushes && least <= -126 ? std::ldexp(1.0, least) : 0;
  const int64_t rows = b.shape()[b.shape().size() - 2];
  const int64_t columns = b.shape().back();
  const int64_t batches = n == 0 ? 0 : a.size() / (n * n);
  const bool transposed = transpose == stablehlo::Transpose::TRANSPOSE || transpose == stablehlo::Transpose::ADJOINT;
  const bool adjoint = transpose == stablehlo::Transpose::ADJOINT;
  Tensor out = b;
  out.set_bound(nullptr);
  const auto values = out.Mutable<T>();
  const double gamma = Gamma(static_cast<double>(n) + 1, a.type());
  if (bounds) errors.assign(static_cast<size_t>(out.size()), 0);
  for (int64_t batch = 0; batch < batches; ++batch) {
    const T* matrix = a.data<T>().data() + batch * n * n;
    T* x = values.data() + batch * rows * columns;
    // Solves op(A) x = b. If A is on the right side, solves op(A)^T x^T = b^T.
    const auto op = [&](int64_t i, int64_t j) {
      const bool swap = transposed == left;
      const T v = swap ? matrix[j * n + i] : matrix[i * n + j];
      return adjoint ? Conjugate(v) : v;
    };
    const bool forward = lower == (transposed != left);
    const int64_t systems = left ? columns : rows;
    const int64_t step = left ? columns : 1;
    const auto op_error = [&](int64_t i, int64_t j) {
      return ErrorAt(a, batch * n * n + (transposed == left ? j * n + i : i * n + j));
    };
    for (int64_t s = 0; s < systems; ++s) {
      T* v = x + (left ? s : s * columns);
      for (int64_t r = 0; r < n; ++r) {
        const int64_t i = forward ? r : n - 1 - r;
        T sum = v[i * step];
        for (int64_t q = 0; q < r; ++q) {
          const int64_t j = forward ? q : n - 1 - q;
          sum = Rounded(sum - Rounded(op(i, j) * v[j * step], step_format), step_format);
        }
        v[i * step] = unit ? sum : Rounded(sum / op(i, i), step_format);
      }
      if (!bounds) continue;
      // The computed x satisfies (A + dA) x = b + db with |dA| <= gamma |A| (Higham, theorem 8.5), so that |dx| <=
      // M^-1 (gamma |A||x| + |dA||x| + |db|). M is the comparison matrix of A, whose inverse bounds |A^-1|.
      for (int64_t r = 0; r < n; ++r) {
        const int64_t i = forward ? r : n - 1 - r;
        const int64_t first = batch * rows * columns + (left ? s : s * columns);
        double sum = ErrorAt(b, first + i * step);
        double most = Modulus(b.data<T>()[static_cast<size_t>(first + i * step)]);  // of the partial sums, in any order
        for (int64_t q = 0; q <= r; ++q) {
          const int64_t j = forward ? q : n - 1 - q;
          const double coefficient = unit && q == r ? 1 : Modulus(op(i, j));
          const double wrong = unit && q == r ? 0 : op_error(i, j);
          sum += (gamma * coefficient + wrong) * Modulus(v[j * step]);
          if (q == r) continue;
          sum += (coefficient + wrong) * errors[static_cast<size_t>(first + j * step)];
          most += coefficient * Modulus(v[j * step]);
        }
        // A device that flushes may do so with each product and each partial sum.
        if (most > 0) sum += flushed * static_cast<double>(2 * r);
        const double diagonal = unit ? 1 : Modulus(op(i, i)) - op_error(i, i);
        // The usual formulas for complex numbers multiply parts, also where they divide.
        if constexpr (std::is_same_v<T, Complex>) most *= 2 * std::max(1.0, diagonal);
        const bool is_defined = diagonal > 0 && !(most > FormatOf(a.type()).max_finite);
        errors[static_cast<size_t>(first + i * step)] =
            is_defined ? sum / diagonal : std::numeric_limits<double>::infinity();
      }
    }
  }
  RoundResult(out);
  return out;
}

// If a right-hand side is not finite, all unknowns of its system are open: the algorithm decides which of them become
// NaN, and the specification prescribes none.
void OpenSystemsWithoutSolution(const Tensor& out, bool left, std::vector<double>& errors) {
  const int64_t columns = out.shape().back(), rows = out.dim(out.rank() - 2);
  const int64_t count = left ? rows : columns;  // number of unknowns
  const int64_t step = left ? columns : 1;
  const auto finite = [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    return std::isfinite(out.kind() == ElementKind::kFloat ? out.data<double>()[at]
                                                           : std::abs(out.data<Complex>()[at]));
  };
  for (int64_t first = 0; first < out.size(); ++first) {
    if (left ? first / columns % rows != 0 : first % columns != 0) continue;
    bool solved = true;
    for (int64_t k = 0; k < count; ++k) solved = solved && finite(first + k * step);
    for (int64_t k = 0; !solved && k < count; ++k) {
      errors[static_cast<size_t>(first + k * step)] = std::numeric_limits<double>::infinity();
    }
  }
}

Expected<Values> TriangularSolve(OpContext& context) {
  const Tensor& a = context.in(0);
  const Tensor& b = context.in(1);
  const auto transpose = context.op->getAttrOfType<stablehlo::TransposeAttr>("transpose_a").getValue();
  const bool left = context.Bool("left_side");
  const bool lower = context.Bool("lower");
  const bool unit = context.Bool("unit_diagonal");
  const bool stepwise = context.evaluator.options().round_every_step && Info(a.type()).format != nullptr;
  const FloatFormat& format = stepwise ? FormatOf(a.type()) : FormatOf(ElementType::kF64);
  std::vector<double> errors;
  Tensor out;
  if (a.kind() == ElementKind::kFloat) {
    out = Solve<double>(a, b, left, lower, unit, transpose, format, context.evaluator.options(), errors);
  } else if (a.kind() == ElementKind::kComplex) {
    out = Solve<Complex>(a, b, left, lower, unit, transpose, format, context.evaluator.options(), errors);
  } else {
    return context.Unsupported("triangular_solve of this type");
  }
  const Tensor* operands[] = {&a, &b};
  if (context.bounds() && out.size() > 0) {
    OpenSystemsWithoutSolution(out, left, errors);
    SetMatrixBound(out, errors, a.shape().back(), DepthOf(operands));
  }
  return Values{std::move(out)};
}

}  // namespace

void AddLinearAlgebra(EvalTableType& table) {
  table["stablehlo.cholesky"] = &Cholesky;
  table["stablehlo.triangular_solve"] = &TriangularSolve;
}

}  // namespace opbyop::reference
