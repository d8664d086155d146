// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A library's product of matrices, if this machine has one.
//
//   if (const Blas* blas = InstalledBlas()) Gemm(a, b, c, {.blas = blas});
//
// OpenBLAS is loaded when the first product is large enough for it, so that no program depends on it or starts more
// slowly because of it.
#ifndef OPBYOP_REFERENCE_TENSOR_BLAS_H_
#define OPBYOP_REFERENCE_TENSOR_BLAS_H_

#include <atomic>
#include <string_view>

namespace opbyop::reference {

// Enumerators of C: matrices are stored by rows, and not transposed.
inline constexpr int kBlasRowMajor = 101, kBlasAsItIs = 111;

// cblas_dgemm with 32-bit sizes. The first three arguments are enumerations of C.
using Dgemm = void (*)(int order, int transposes_a, int transposes_b, int m, int n, int k, double alpha,
                       const double* a, int a_stride, const double* b, int b_stride, double beta, double* c,
                       int c_stride);

// cblas_sgemm in the same way.
using Sgemm = void (*)(int order, int transposes_a, int transposes_b, int m, int n, int k, float alpha, const float* a,
                       int a_stride, const float* b, int b_stride, float beta, float* c, int c_stride);

struct Blas {
  Dgemm dgemm = nullptr;
  Sgemm sgemm = nullptr;  // multiplies moduli; nullptr: dgemm does
  // Cleared by the first product that proves wrong. The library then computes nothing more in this process, or nothing
  // more in f32.
  mutable std::atomic<bool> trusted = true;
  mutable std::atomic<bool> trusted_in_f32 = true;

  bool HasTrustedF32() const { return sgemm != nullptr && trusted_in_f32; }
};

// Returns nullptr if this machine has no OpenBLAS. Its products use one thread each.
const Blas* InstalledBlas();

// The widest vectors that a processor multiplies and adds.
struct VectorUnits {
  bool avx2 = false;
  bool avx512 = false;
};

// The name of the kernels with which OpenBLAS should be loaded on such a processor instead of those that it chose;
// empty if its choice is good. It chooses by the processor's model, and one that is newer than the library gets kernels
// of 16 bytes, which take four times as long as those of AVX-512.
//
//   BetterKernels("Prescott", {.avx2 = true, .avx512 = true});   // "SKYLAKEX"
std::string_view BetterKernels(std::string_view chosen, const VectorUnits& units);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_BLAS_H_
