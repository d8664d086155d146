// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of moduli by a library in f32, which takes less than half the time of doubles: a magnitude is only a part of a
// bound, so that it may be a little too large, but never too small (docs/numerics/rules.md).
//
//   F32Moduli product(blas.sgemm);
//   product.SetWide(wide);              // panels of moduli, at most kMostTermsInF32 inner positions
//   product.Add(narrow, sums.data());   // sums += narrow * wide
//   RoundUpF32Moduli(sums);             // when all panels are added
#ifndef OPBYOP_REFERENCE_TENSOR_F32_MODULI_H_
#define OPBYOP_REFERENCE_TENSOR_F32_MODULI_H_

#include <span>
#include <vector>

#include "reference/tensor/blas.h"
#include "reference/tensor/panel.h"

namespace opbyop::reference {

class F32Moduli {
 public:
  explicit F32Moduli(Sgemm sgemm) : sgemm_(sgemm) {}

  // Borrows the panel until the last Add() of it.
  void SetWide(const Panel& wide);

  // sums[narrow.rows x wide.columns] += narrow * wide, each sum off by at most 2^-15 of itself.
  void Add(const Panel& narrow, double* sums);

 private:
  Sgemm sgemm_;
  const Panel* wide_ = nullptr;
  // Rows of the narrow panel and columns of the wide one, each divided by the power of two in `*_scales_`.
  std::vector<float> narrow_values_, wide_values_, tile_;
  std::vector<double> narrow_scales_, wide_scales_;
};

// Makes sums by F32Moduli no smaller than the exact ones.
void RoundUpF32Moduli(std::span<double> sums);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_F32_MODULI_H_
