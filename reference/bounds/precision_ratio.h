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

// Takes the errors in units of their standard deviation: the root of their mean square, and the greatest. Each is
// divided by twice the value that chance exceeds once in 10^9 tensors, and the greater quotient is returned. Returns 0
// if the tensor has no deviations. Elements that are not finite, or whose deviation is 0, are left to the bound. The
// size of `bytes` must be right.
double PrecisionRatio(const Tensor& expected, std::span<const std::byte> bytes);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_BOUNDS_PRECISION_RATIO_H_
