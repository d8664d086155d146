// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How the operands and results of an `sdy.manual_computation`, whose body is written for one device, are divided.
//
//   Expected<ManualDivisions> manual = DivisionsOf(op);
//   manual->devices;       // 8: the body runs on each, a partition of one program
//   manual->operands[0];   // of the first operand
#ifndef OPBYOP_IR_SHARDING_MANUAL_DIVISIONS_H_
#define OPBYOP_IR_SHARDING_MANUAL_DIVISIONS_H_

#include <cstdint>
#include <vector>

#include "ir/sdy/sdy.h"
#include "support/expected.h"
#include "support/sharding/axes.h"

namespace opbyop {

struct ManualDivisions {
  int64_t devices = 1;
  std::vector<Division> operands, results;
};

// Returns kUnsupported if some axes of the mesh are not manual and have several devices, if the mesh lists its devices in
// an order of its own, or if a value is no static tensor that divides evenly.
Expected<ManualDivisions> DivisionsOf(sdy::ManualComputationOp op);

}  // namespace opbyop

#endif  // OPBYOP_IR_SHARDING_MANUAL_DIVISIONS_H_
