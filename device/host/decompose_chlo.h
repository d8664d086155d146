// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rewrites CHLO ops that do not work element by element as StableHLO ops.
//
//   if (!DecomposeChlo(op)) ...    // an error was emitted on the op
#ifndef OPBYOP_DEVICE_HOST_DECOMPOSE_CHLO_H_
#define OPBYOP_DEVICE_HOST_DECOMPOSE_CHLO_H_

#include <mlir/IR/Operation.h>

namespace opbyop::host {

// Replaces the op if it is such a CHLO op; leaves all others. Returns false if it was refused, with an error that says
// why.
bool DecomposeChlo(mlir::Operation* op);

// Decomposes chlo.ragged_dot: one product for each group, with the elements outside of the group masked. Returns null
// if it was refused.
mlir::Value DecomposeRaggedDot(mlir::Operation* op);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_DECOMPOSE_CHLO_H_
