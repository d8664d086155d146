// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of many f64 numbers that libmvec lacks or computes slowly, built on those that it has. They are the `approximate` of a
// VectorFunction and as accurate as its table says (vector_math.cc); NaN stands for an element that they do not know.
//
//   ErfInvOfMany(x, nullptr, count, out);
#ifndef OPBYOP_REFERENCE_TENSOR_SPECIAL_FUNCTIONS_H_
#define OPBYOP_REFERENCE_TENSOR_SPECIAL_FUNCTIONS_H_

#include <cstddef>

#include "reference/tensor/libmvec.h"

#ifdef OPBYOP_HAS_LIBMVEC

namespace opbyop::reference {

void LogisticOfMany(const double* x, const double*, size_t count, double* out);
void RsqrtOfMany(const double* x, const double*, size_t count, double* out);
void SqrtOfMany(const double* x, const double*, size_t count, double* out);
void TanhOfMany(const double* x, const double*, size_t count, double* out);
void BesselI1eOfMany(const double* x, const double*, size_t count, double* out);
void DigammaOfMany(const double* x, const double*, size_t count, double* out);
void ErfInvOfMany(const double* x, const double*, size_t count, double* out);
void LgammaOfMany(const double* x, const double*, size_t count, double* out);
void PolygammaOfMany(const double* n, const double* x, size_t count, double* out);
void ZetaOfMany(const double* s, const double* q, size_t count, double* out);

}  // namespace opbyop::reference

#endif

#endif  // OPBYOP_REFERENCE_TENSOR_SPECIAL_FUNCTIONS_H_
