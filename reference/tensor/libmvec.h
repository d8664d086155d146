// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// libmvec, the vectors of four f64 that glibc computes functions of with AVX2.
//
//   if (const Libmvec* library = InstalledLibmvec()) OfOne<&Libmvec::sin>(x, nullptr, count, out);
//
// It is loaded when it is first needed, so that no program depends on it.
#ifndef OPBYOP_REFERENCE_TENSOR_LIBMVEC_H_
#define OPBYOP_REFERENCE_TENSOR_LIBMVEC_H_

#if defined(__x86_64__) && defined(__linux__)
#define OPBYOP_HAS_LIBMVEC

#include <cstddef>
#include <cstring>

// For functions that call those of the library.
#define OPBYOP_AVX2 __attribute__((target("avx2,fma")))

namespace opbyop::reference {

using FourDoubles = double __attribute__((vector_size(32)));

struct Libmvec {
  using One = FourDoubles (*)(FourDoubles);
  using Two = FourDoubles (*)(FourDoubles, FourDoubles);
  One acos, acosh, asin, asinh, atan, atanh, cbrt, cos, cosh, erf, erfc, exp, expm1, log, log1p, sin, sinh, tan;
  Two atan2, pow;
};

// Returns nullptr if the processor has no AVX2 with FMA, or if there is no library with all of these functions: glibc
// has them from 2.35 on.
const Libmvec* InstalledLibmvec();

// Apply a function to `count` numbers, a multiple of 4. The library must be installed.
template <Libmvec::One Libmvec::* kFunction>
OPBYOP_AVX2 void OfOne(const double* x, const double* /*y*/, size_t count, double* out) {
  const Libmvec::One function = InstalledLibmvec()->*kFunction;
  for (size_t i = 0; i < count; i += 4) {
    FourDoubles four;
    std::memcpy(&four, x + i, sizeof(four));
    four = function(four);
    std::memcpy(out + i, &four, sizeof(four));
  }
}

template <Libmvec::Two Libmvec::* kFunction>
OPBYOP_AVX2 void OfTwo(const double* x, const double* y, size_t count, double* out) {
  const Libmvec::Two function = InstalledLibmvec()->*kFunction;
  for (size_t i = 0; i < count; i += 4) {
    FourDoubles left, right;
    std::memcpy(&left, x + i, sizeof(left));
    std::memcpy(&right, y + i, sizeof(right));
    left = function(left, right);
    std::memcpy(out + i, &left, sizeof(left));
  }
}

}  // namespace opbyop::reference

#endif

#endif  // OPBYOP_REFERENCE_TENSOR_LIBMVEC_H_
