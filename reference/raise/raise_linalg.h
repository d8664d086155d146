// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Raises linalg on tensors to StableHLO: contractions, reductions, elementwise and data movement, named or generic.
//
//   if (auto linalg = dyn_cast<LinalgOp>(op)) return RaiseLinalg(raised, linalg);
#ifndef OPBYOP_REFERENCE_RAISE_RAISE_LINALG_H_
#define OPBYOP_REFERENCE_RAISE_RAISE_LINALG_H_

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "reference/raise/raised_function.h"

namespace opbyop::reference {

// Raises `op` and maps its results. Returns kUnsupported if it works on buffers, indexes by sums, or has a body that
// StableHLO cannot express.
Expected<void> RaiseLinalg(RaisedFunction& raised, mlir::linalg::LinalgOp op);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_RAISE_RAISE_LINALG_H_
