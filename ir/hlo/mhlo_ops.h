// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads those ops of MHLO that CHLO has under another prefix (`mhlo.erf`, `mhlo.topk`) as CHLO's. XLA's converter of HLO
// writes them into programs that are StableHLO otherwise.
//
//   ReadMhloAsChlo(*module);   // "mhlo.erf"(%0) becomes chlo.erf %0
#ifndef OPBYOP_IR_HLO_MHLO_OPS_H_
#define OPBYOP_IR_HLO_MHLO_OPS_H_

#include "mlir/IR/BuiltinOps.h"

namespace opbyop {

// Ops of MHLO without a counterpart in CHLO stay as they are.
void ReadMhloAsChlo(mlir::ModuleOp module);

}  // namespace opbyop

#endif  // OPBYOP_IR_HLO_MHLO_OPS_H_
