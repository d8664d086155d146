// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The IR of a compiler's stage, raised to StableHLO, so that the reference can tell what it computes.
//
//   Expected<bool> raised = RaiseToStablehlo(*module);
//   if (!raised) ...          // why it cannot be said: "linalg.conv_2d_nhwc_hwcf: its loops index by sums"
//   else if (*raised) ...     // @main is StableHLO now; false: it was
//
// Known: linalg on tensors whose operands are indexed by loops (contractions, reductions, elementwise and data
// movement, named or generic) with bodies of arith and math; tensor's reshapes, slices and concatenations; IREE's
// flow.dispatch of such bodies; elementwise ttir and ttnn. docs/numerics.md says what that keeps of the bounds.
#ifndef OPBYOP_REFERENCE_RAISE_RAISE_H_
#define OPBYOP_REFERENCE_RAISE_RAISE_H_

#include "mlir/IR/BuiltinOps.h"
#include "support/expected.h"

namespace opbyop::reference {

// kUnsupported where something in @main cannot be said; the module is then as it was.
Expected<bool> RaiseToStablehlo(mlir::ModuleOp module);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_RAISE_RAISE_H_
