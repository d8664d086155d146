// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Small dense matrices of complex double, for checks of factorizations. Real matrices have imaginary parts of zero.
//
//   const DenseMatrix product = Adjoint(q) * q;
//   std::vector<double> errors = ColumnNorms(product - DenseMatrix::Identity(q.columns, q.columns));
#ifndef OPBYOP_REFERENCE_MEANINGS_DENSE_MATRIX_H_
#define OPBYOP_REFERENCE_MEANINGS_DENSE_MATRIX_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <vector>

namespace opbyop::reference {

struct DenseMatrix {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<std::complex<double>> elements;  // by rows

  DenseMatrix() = default;
  DenseMatrix(int64_t r, int64_t c) : rows(r), columns(c), elements(static_cast<size_t>(r * c)) {}
  // Ones on the diagonal; not necessarily square.
  static DenseMatrix Identity(int64_t r, int64_t c) {
    DenseMatrix out(r, c);
    for (int64_t i = 0; i < std::min(r, c); ++i) out(i, i) = 1;
    return out;
  }

  std::complex<double>& operator()(int64_t i, int64_t j) { return elements[static_cast<size_t>(i * columns + j)]; }
  const std::complex<double>& operator()(int64_t i, int64_t j) const {
    return elements[static_cast<size_t>(i * columns + j)];
  }
};

// The element (i, j) of a new matrix is `element(i, j)`.
template <typename Element>
DenseMatrix MakeMatrix(int64_t rows, int64_t columns, Element&& element) {
  DenseMatrix out(rows, columns);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) out(i, j) = element(i, j);
  }
  return out;
}

inline DenseMatrix Adjoint(const DenseMatrix& x) {
  return MakeMatrix(x.columns, x.rows, [&](int64_t i, int64_t j) { return std::conj(x(j, i)); });
}

inline DenseMatrix Moduli(const DenseMatrix& x) {
  return MakeMatrix(x.rows, x.columns, [&](int64_t i, int64_t j) { return std::abs(x(i, j)); });
}

inline DenseMatrix operator-(const DenseMatrix& x, const DenseMatrix& y) {
  return MakeMatrix(x.rows, x.columns, [&](int64_t i, int64_t j) { return x(i, j) - y(i, j); });
}

inline DenseMatrix operator*(const DenseMatrix& x, const DenseMatrix& y) {
  DenseMatrix out(x.rows, y.columns);
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t k = 0; k < x.columns; ++k) {
      const std::complex<double> factor = x(i, k);
      for (int64_t j = 0; j < y.columns; ++j) out(i, j) += factor * y(k, j);
    }
  }
  return out;
}

// The first rows and columns.
inline DenseMatrix Corner(const DenseMatrix& x, int64_t rows, int64_t columns) {
  return MakeMatrix(rows, columns, [&](int64_t i, int64_t j) { return x(i, j); });
}

// Elements on and above the diagonal, or on and below diagonal number `diagonal`, counted upwards; zeros elsewhere.
inline DenseMatrix Upper(const DenseMatrix& x, int64_t diagonal = 0) {
  return MakeMatrix(x.rows, x.columns,
                    [&](int64_t i, int64_t j) { return j - i >= diagonal ? x(i, j) : std::complex<double>(); });
}
inline DenseMatrix Lower(const DenseMatrix& x, int64_t diagonal = 0) {
  return MakeMatrix(x.rows, x.columns,
                    [&](int64_t i, int64_t j) { return j - i <= diagonal ? x(i, j) : std::complex<double>(); });
}

// The matrix of which one triangle is given. Its diagonal is real.
inline DenseMatrix Hermitian(const DenseMatrix& x, bool lower) {
  return MakeMatrix(x.rows, x.columns, [&](int64_t i, int64_t j) -> std::complex<double> {
    if (i == j) return x(i, i).real();
    return (i > j) == lower ? x(i, j) : std::conj(x(j, i));
  });
}

// x diag(d), for a vector d of as many elements as x has columns.
inline DenseMatrix ScaleColumns(const DenseMatrix& x, const DenseMatrix& d) {
  return MakeMatrix(x.rows, x.columns, [&](int64_t i, int64_t j) { return x(i, j) * d(j, 0); });
}

inline std::vector<double> ColumnNorms(const DenseMatrix& x) {
  std::vector<double> norms(static_cast<size_t>(x.columns));
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t j = 0; j < x.columns; ++j) norms[static_cast<size_t>(j)] += std::norm(x(i, j));
  }
  for (double& norm : norms) norm = std::sqrt(norm);
  return norms;
}

// The Frobenius norm.
inline double Norm(const DenseMatrix& x) {
  double sum = 0;
  for (const std::complex<double>& element : x.elements) sum += std::norm(element);
  return std::sqrt(sum);
}

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_MEANINGS_DENSE_MATRIX_H_
