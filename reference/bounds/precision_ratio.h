// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The second criterion of a comparison. The first is the bound, which no right device can exceed; this one is what
// rounding in the promised precision is likely to do. Derivation: docs/numerics.md.
//
//   double ratio = PrecisionRatio(expected, device_bytes);
//   // ratio > 1: the device computes in a narrower type, or some elements are wrong
#ifndef OPBYOP_REFERENCE_BOUNDS_PRECISION_RATIO_H_
#define OPBYOP_REFERENCE_BOUNDS_PRECISION_RATIO_H_

#include <cstddef>
#include <span>

#include "reference/tensor/tensor.h"

namespace opbyop::reference {

// Takes two figures of the errors, in units of their standard deviation: the root of their mean square, and the
// greatest. Each is divided by twice the value that chance exceeds once in 10^9 tensors; the greater quotient is
// returned. Returns 0 if the tensor has no deviations. Skips elements that are not finite or whose deviation is 0: the
// bound judges them. The size of `bytes` must be right.
double PrecisionRatio(const Tensor& expected, std::span<const std::byte> bytes);

// The same of a device that may compute each element in any of these ways: an element has the least of its errors.
double PrecisionRatio(std::span<const Tensor> ways, std::span<const std::byte> bytes);

// The same of a tensor of which only blocks exist at a time.
class PrecisionErrors {
 public:
  // Errors in standard deviations.
  struct Shares {
    double count = 0, squares = 0, greatest = 0;
  };

  void Add(const Tensor& block, std::span<const std::byte> bytes);
  void Add(double share);  // the error of one element, in standard deviations
  double Ratio() const;

 private:
  Shares shares_;
};

// The greatest error, in standard deviations, that the criterion allows one of n elements.
double GreatestLikely(double n);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_BOUNDS_PRECISION_RATIO_H_
