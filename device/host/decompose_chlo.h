// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHLO ops that are more than one function of elements, in StableHLO's ops.
//
//   if (!DecomposeChlo(op)) ...    // an error was emitted on the op
#ifndef OPBYOP_DEVICE_HOST_DECOMPOSE_CHLO_H_
#define OPBYOP_DEVICE_HOST_DECOMPOSE_CHLO_H_

#include <mlir/IR/Operation.h>

namespace opbyop::host {

// Replaces the op where it is one of those, leaves all others. False: refused, with an error that says why.
bool DecomposeChlo(mlir::Operation* op);

// chlo.ragged_dot: one product for each group, elements outside of the group masked. Null: refused.
mlir::Value DecomposeRaggedDot(mlir::Operation* op);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_DECOMPOSE_CHLO_H_
