// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Raises the IR of a compiler's stage to StableHLO, so that the reference can evaluate it.
//
//   Expected<bool> raised = RaiseToStablehlo(*module);
//   if (!raised) ...          // the error says why: "linalg.conv_2d_nhwc_hwcf: its loops index by sums"
//   else if (*raised) ...     // @main has been raised to StableHLO
//   else ...                  // @main already was StableHLO
//
// Supports linalg on tensors whose operands are indexed by loops (contractions, reductions, elementwise and data
// movement, named or generic) with bodies of arith and math; reshapes, slices and concatenations of the tensor dialect;
// IREE's flow.dispatch of such bodies; elementwise ttir and ttnn. docs/numerics.md describes the bounds of the result.
#ifndef OPBYOP_REFERENCE_RAISE_RAISE_H_
#define OPBYOP_REFERENCE_RAISE_RAISE_H_

#include "mlir/IR/BuiltinOps.h"
#include "support/expected.h"

namespace opbyop::reference {

// Returns kUnsupported if StableHLO cannot express something in @main. The module is then unchanged.
Expected<bool> RaiseToStablehlo(mlir::ModuleOp module);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_RAISE_RAISE_H_
