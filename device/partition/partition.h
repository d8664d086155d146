// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A plain partitioner: makes of a program on whole tensors the program that each device of a mesh runs, on its parts of
// them, with StableHLO's collectives between.
//
//   Expected<Partitioning> how = PartitionProgram(module, sharding);   // @main takes and returns parts
//   how->gathered;                                                     // {"stablehlo.fft"}: it has no rule
//
// Each op of @main is brought to its rule (ir/sharding/): its operands get the division that the rule asks for, it runs
// on parts, and an all_reduce follows if it sums over a divided dimension. A change of division is an all_gather of what
// differs and a slice. The body of a manual computation is such a program already and takes the place of the op. An op
// without a rule runs on whole operands on every device, and so does one whose rule has no place for the padding of a
// dimension that does not divide evenly. Padding is zero, or the initial value, where an op sums over it.
//
// Sums of floats of 16 bits or fewer are of f32 until they are whole, as compilers do it; otherwise each device's part
// would be rounded.
#ifndef OPBYOP_DEVICE_PARTITION_PARTITION_H_
#define OPBYOP_DEVICE_PARTITION_PARTITION_H_

#include <string>
#include <vector>

#include "manifests/cases/case_sharding.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/expected.h"

namespace opbyop::device {

struct Partitioning {
  // The names of the ops that run on whole tensors for want of a rule, or of one that allows padding, each once.
  std::vector<std::string> gathered;

  // "by rules", or "gathered for stablehlo.fft".
  std::string ToText() const;
};

// Replaces @main. Returns kBadInput if it has no body or other arguments and results than the sharding, and kUnsupported
// for a divided value that is no static tensor, and for a manual computation over some of the devices. The module is then unspecified.
Expected<Partitioning> PartitionProgram(mlir::ModuleOp module, const CaseSharding& sharding);

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_PARTITION_PARTITION_H_
