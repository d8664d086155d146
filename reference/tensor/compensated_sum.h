// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A sum in double that also adds up the rounding errors of its steps. It is as accurate as a sum in twice the
// precision.
//
//   CompensatedSum sum;
//   sum.AddProduct(a, b);
//   sum.Add(c);
//   sum.Value();   // error for n terms: one rounding of the value, plus n^2 2^-106 times the sum of their moduli
//
// Use it for results in f64: a plain sum in double would be as far off as a device may be (T. Ogita, S. M. Rump,
// S. Oishi, Accurate sum and dot product, SIAM J. Sci. Comput. 26(6), 2005).
#ifndef OPBYOP_REFERENCE_TENSOR_COMPENSATED_SUM_H_
#define OPBYOP_REFERENCE_TENSOR_COMPENSATED_SUM_H_

#include <cmath>
#include <cstdint>
#include <span>

#include "reference/tensor/tensor.h"

namespace opbyop::reference {

class CompensatedSum {
 public:
  explicit CompensatedSum(double start = 0) : sum_(start) {}

  void Add(double term) {
    const double before = sum_;
    sum_ += term;
    const double added = sum_ - before;
    error_ += (before - (sum_ - added)) + (term - added);
  }
  void AddProduct(double a, double b) {
    const double product = a * b;
    error_ += std::fma(a, b, -product);
    Add(product);
  }
  // An error that is infinite or NaN is dropped. An error of zero is not added, so that a sum of -0 keeps its sign.
  double Value() const { return error_ == 0 || !std::isfinite(error_) ? sum_ : sum_ + error_; }

 private:
  double sum_, error_ = 0;
};

// A compensated sum of complex numbers: one CompensatedSum for each part.
class CompensatedComplexSum {
 public:
  explicit CompensatedComplexSum(Complex start = 0) : real_(start.real()), imag_(start.imag()) {}

  void Add(Complex term) {
    real_.Add(term.real());
    imag_.Add(term.imag());
  }
  void AddProduct(Complex a, Complex b) {
    real_.AddProduct(a.real(), b.real());
    real_.AddProduct(-a.imag(), b.imag());
    imag_.AddProduct(a.real(), b.imag());
    imag_.AddProduct(a.imag(), b.real());
  }
  Complex Value() const { return {real_.Value(), imag_.Value()}; }

 private:
  CompensatedSum real_, imag_;
};

// Returns the sum over p of a[a_places[p]] * b[b_places[p]].
double CompensatedDot(const double* a, std::span<const int64_t> a_places, const double* b,
                      std::span<const int64_t> b_places);

template <typename T>
struct CompensatedOf;
template <>
struct CompensatedOf<double> {
  using type = CompensatedSum;
};
template <>
struct CompensatedOf<Complex> {
  using type = CompensatedComplexSum;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_COMPENSATED_SUM_H_
