// cholesky and triangular_solve, by columns, in double.
#include <cmath>

#include "ir/stablehlo/stablehlo.h"
#include "reference/bound.h"
#include "reference/elementwise.h"
#include "reference/evaluator.h"

namespace opbyop {
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

// Backward error analysis: c * n * u times the matrix' own scale. Results are relative to `scale` per matrix.
void SetMatrixBound(Tensor& out, const std::vector<double>& scale, int64_t n, int64_t per_matrix) {
  const FloatFormat& format = FormatOf(out.type());
  auto bound = MakeBound(out.size(), "backward error, n=" + std::to_string(n), 1);
  bound->zero_sign_free = true;
  const std::span<double> errors = MutableSpan(*bound);
  for (size_t i = 0; i < errors.size(); ++i) {
    errors[i] = 8.0 * static_cast<double>(n) * format.UnitRoundoff() * scale[i / static_cast<size_t>(per_matrix)];
  }
  out.set_bound(std::move(bound));
}

template <typename T>
Tensor CholeskyOf(const Tensor& a, bool lower, std::vector<double>& scale) {
  const int64_t n = a.shape().back();
  const int64_t batches = n == 0 ? 0 : a.size() / (n * n);
  Tensor out = Tensor::Zeros(a.type(), a.shape());
  const auto values = out.Mutable<T>();
  for (int64_t b = 0; b < batches; ++b) {
    const T* from = a.data<T>().data() + b * n * n;
    T* to = values.data() + b * n * n;
    // L[i][j]; an upper factor is the conjugate transpose of the lower one.
    const auto read = [&](int64_t i, int64_t j) { return lower ? from[i * n + j] : Conjugate(from[j * n + i]); };
    const auto at = [&](int64_t i, int64_t j) -> T& { return lower ? to[i * n + j] : to[j * n + i]; };
    const auto l = [&](int64_t i, int64_t j) { return lower ? at(i, j) : Conjugate(at(i, j)); };
    double condition = 1;
    double least = std::numeric_limits<double>::infinity();
    double greatest = 0;
    for (int64_t j = 0; j < n; ++j) {
      T sum = read(j, j);
      for (int64_t k = 0; k < j; ++k) sum -= l(j, k) * Conjugate(l(j, k));
      const T diagonal = std::sqrt(sum);
      at(j, j) = diagonal;
      least = std::min(least, Modulus(diagonal));
      greatest = std::max(greatest, Modulus(diagonal));
      for (int64_t i = j + 1; i < n; ++i) {
        T s = read(i, j);
        for (int64_t k = 0; k < j; ++k) s -= l(i, k) * Conjugate(l(j, k));
        const T value = s / diagonal;
        at(i, j) = lower ? value : Conjugate(value);
      }
    }
    if (least > 0) condition = (greatest / least) * (greatest / least);
    scale.push_back(greatest * condition);
  }
  RoundResult(out);
  return out;
}

Expected<Values> Cholesky(OpContext& context) {
  const Tensor& a = context.in(0);
  const bool lower = context.Bool("lower");
  std::vector<double> scale;
  Tensor out;
  if (a.kind() == ElementKind::kFloat) {
    out = CholeskyOf<double>(a, lower, scale);
  } else if (a.kind() == ElementKind::kComplex) {
    out = CholeskyOf<Complex>(a, lower, scale);
  } else {
    return context.Unsupported("cholesky of this type");
  }
  const int64_t n = a.shape().back();
  if (context.bounds() && n > 0) SetMatrixBound(out, scale, n, n * n);
  return Values{std::move(out)};
}

double Rounded(double v, const FloatFormat& format) { return RoundTo(format, v); }
Complex Rounded(Complex v, const FloatFormat& format) { return {RoundTo(format, v.real()), RoundTo(format, v.imag())}; }

// `step_format`: every operation rounds to it; f64 leaves the values as they are.
template <typename T>
Tensor Solve(const Tensor& a, const Tensor& b, bool left, bool lower, bool unit, stablehlo::Transpose transpose,
             const FloatFormat& step_format, std::vector<double>& scale) {
  const int64_t n = a.shape().back();
  const int64_t rows = b.shape()[b.shape().size() - 2];
  const int64_t columns = b.shape().back();
  const int64_t batches = n == 0 ? 0 : a.size() / (n * n);
  const bool transposed = transpose == stablehlo::Transpose::TRANSPOSE || transpose == stablehlo::Transpose::ADJOINT;
  const bool adjoint = transpose == stablehlo::Transpose::ADJOINT;
  Tensor out = b;
  out.set_bound(nullptr);
  const auto values = out.Mutable<T>();
  for (int64_t batch = 0; batch < batches; ++batch) {
    const T* matrix = a.data<T>().data() + batch * n * n;
    T* x = values.data() + batch * rows * columns;
    // op(A) x = b; for the right side, op(A)^T x^T = b^T.
    const auto op = [&](int64_t i, int64_t j) {
      const bool swap = transposed == left;
      const T v = swap ? matrix[j * n + i] : matrix[i * n + j];
      return adjoint ? Conjugate(v) : v;
    };
    const bool forward = lower == (transposed != left);
    const int64_t systems = left ? columns : rows;
    const int64_t step = left ? columns : 1;
    double least = std::numeric_limits<double>::infinity();
    double greatest = 0;
    for (int64_t i = 0; i < n; ++i) {
      least = std::min(least, unit ? 1 : Modulus(op(i, i)));
      for (int64_t j = 0; j < n; ++j) {
        if (forward ? j <= i : j >= i) greatest = std::max(greatest, Modulus(op(i, j)));
      }
    }
    double largest = 0;
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
        largest = std::max(largest, Modulus(v[i * step]));
      }
    }
    scale.push_back(largest * (least > 0 ? static_cast<double>(n) * greatest / least : 1));
  }
  RoundResult(out);
  return out;
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
  std::vector<double> scale;
  Tensor out;
  if (a.kind() == ElementKind::kFloat) {
    out = Solve<double>(a, b, left, lower, unit, transpose, format, scale);
  } else if (a.kind() == ElementKind::kComplex) {
    out = Solve<Complex>(a, b, left, lower, unit, transpose, format, scale);
  } else {
    return context.Unsupported("triangular_solve of this type");
  }
  const int64_t per_matrix = b.shape()[b.shape().size() - 2] * b.shape().back();
  if (context.bounds() && per_matrix > 0) SetMatrixBound(out, scale, a.shape().back(), per_matrix);
  return Values{std::move(out)};
}

}  // namespace

void AddLinearAlgebra(EvalTableType& table) {
  table["stablehlo.cholesky"] = &Cholesky;
  table["stablehlo.triangular_solve"] = &TriangularSolve;
}

}  // namespace opbyop
