// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The special values of double, in which floats are evaluated.
#ifndef OPBYOP_REFERENCE_TENSOR_SPECIAL_VALUES_H_
#define OPBYOP_REFERENCE_TENSOR_SPECIAL_VALUES_H_

#include <limits>

namespace opbyop::reference {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_SPECIAL_VALUES_H_
