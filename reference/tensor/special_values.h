// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The special values of double, in which floats are evaluated.
#ifndef OPBYOP_REFERENCE_TENSOR_SPECIAL_VALUES_H_
#define OPBYOP_REFERENCE_TENSOR_SPECIAL_VALUES_H_

#include <cmath>
#include <complex>
#include <limits>

namespace opbyop::reference {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline bool IsFinite(double v) { return std::fabs(v) < kInf; }
inline bool IsFinite(std::complex<double> v) { return IsFinite(v.real()) && IsFinite(v.imag()); }

// Bernoulli numbers B2, B4, ... for asymptotic series.
inline constexpr long double kBernoulli[] = {1.0L / 6,       -1.0L / 30,       1.0L / 42,       -1.0L / 30,
                                             5.0L / 66,      -691.0L / 2730,   7.0L / 6,        -3617.0L / 510,
                                             43867.0L / 798, -174611.0L / 330, 854513.0L / 138, -236364091.0L / 2730};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_SPECIAL_VALUES_H_
