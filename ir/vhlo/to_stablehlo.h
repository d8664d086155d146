// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Turns a decoded portable artifact into the StableHLO program it stands for.
//
//   if (failed(ConvertToStablehlo(module))) ...  // diagnostics name the op
//
// Ops of other dialects mixed in (sdy) stay as they are; the casts around them vanish.
#ifndef OPBYOP_IR_VHLO_TO_STABLEHLO_H_
#define OPBYOP_IR_VHLO_TO_STABLEHLO_H_

#include "mlir/IR/BuiltinOps.h"

namespace opbyop::vhlo {

// In place. The result is not yet verified.
mlir::LogicalResult ConvertToStablehlo(mlir::ModuleOp module);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_TO_STABLEHLO_H_
