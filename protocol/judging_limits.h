// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The work and the memory up to which the reference judges every element of a case. Of a larger product or
// convolution it judges a sample and checksums; any other larger case it skips. Who plans a run estimates with the same numbers.
//
//   const double steps = multiply_adds / protocol::kMultiplyAddsPerStep;
//   if (steps > protocol::kMostSteps) ...   // of a product: "by a sample and checksums"
//   if (bytes > protocol::MostBytes(MachineMemory())) ...
#ifndef OPBYOP_PROTOCOL_JUDGING_LIMITS_H_
#define OPBYOP_PROTOCOL_JUDGING_LIMITS_H_

#include <algorithm>
#include <cstdint>

namespace opbyop::protocol {

// A step is what the reference does for one element of an elementwise op.
inline constexpr double kMostSteps = 3e10;

// A multiply-add in a product of floats narrower than f64 takes a fraction of a step.
inline constexpr double kMultiplyAddsPerStep = 16;

// The bytes of arguments, values and bounds that are alive at once, on a machine of any size.
inline constexpr double kMostBytes = 6e9;

// The same for a worker on a machine with so much memory.
constexpr double MostBytes(int64_t memory) { return std::max(kMostBytes, static_cast<double>(memory) / 2); }

}  // namespace opbyop::protocol

#endif  // OPBYOP_PROTOCOL_JUDGING_LIMITS_H_
