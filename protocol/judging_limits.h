// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The work up to which the reference judges every element of a case. Of a larger product of floats it judges a sample
// and checksums; any other larger case it skips. Who plans a run estimates with the same numbers.
//
//   const double steps = multiply_adds / protocol::kMultiplyAddsPerStep;
//   if (steps > protocol::kMostSteps) ...   // of a product: "by a sample and checksums"
#ifndef OPBYOP_PROTOCOL_JUDGING_LIMITS_H_
#define OPBYOP_PROTOCOL_JUDGING_LIMITS_H_

namespace opbyop::protocol {

// A step is what the reference does for one element of an elementwise op.
inline constexpr double kMostSteps = 3e10;

// A multiply-add in a product of floats narrower than f64 takes a fraction of a step.
inline constexpr double kMultiplyAddsPerStep = 16;

}  // namespace opbyop::protocol

#endif  // OPBYOP_PROTOCOL_JUDGING_LIMITS_H_
