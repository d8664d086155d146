// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random programs of loops and branches. What they return depends on every copy that a compiler may leave out: values are
// swapped, returned twice, updated in part, and read after they were updated.
//
//   const std::string text = ControlFlowProgram(seed);   // @main of two 3x3 tensors and an index, all i32
#ifndef OPBYOP_VALIDATION_AGREEMENT_CONTROL_FLOW_PROGRAM_H_
#define OPBYOP_VALIDATION_AGREEMENT_CONTROL_FLOW_PROGRAM_H_

#include <cstdint>
#include <string>

namespace opbyop {

// The same program for the same seed. Loops have three trips.
std::string ControlFlowProgram(uint32_t seed);

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_AGREEMENT_CONTROL_FLOW_PROGRAM_H_
