// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The second criterion beside the bound, which no right device can exceed: what rounding in the promised precision is
// likely to do. Derivation: docs/numerics.md.
//
//   double ratio = PrecisionRatio(expected, device_bytes);   // above 1: computed in a narrower type, or some elements
//   wrong
#ifndef OPBYOP_REFERENCE_BOUNDS_PRECISION_RATIO_H_
#define OPBYOP_REFERENCE_BOUNDS_PRECISION_RATIO_H_

#include <cstddef>
#include <span>

#include "reference/tensor/tensor.h"

namespace opbyop::reference {

// Of errors in units of their standard deviation, the root of the mean square and the greatest, each divided by twice
// what chance leaves it below but once in 10^9 tensors; of the two quotients the greater one. 0 where the tensor has no
// deviations. What is not finite, or has the deviation 0, is left to the bound. The size of `bytes` must be right.
double PrecisionRatio(const Tensor& expected, std::span<const std::byte> bytes);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_BOUNDS_PRECISION_RATIO_H_
