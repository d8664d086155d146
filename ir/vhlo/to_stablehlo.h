// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Converts a decoded portable artifact to the StableHLO program that it represents.
//
//   if (failed(ConvertToStablehlo(module))) ...  // diagnostics name the op
//
// Ops of other dialects in the artifact (sdy) are unchanged. The casts around them are removed.
#ifndef OPBYOP_IR_VHLO_TO_STABLEHLO_H_
#define OPBYOP_IR_VHLO_TO_STABLEHLO_H_

#include "mlir/IR/BuiltinOps.h"

namespace opbyop::vhlo {

// Converts in place. Does not verify the result.
mlir::LogicalResult ConvertToStablehlo(mlir::ModuleOp module);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_TO_STABLEHLO_H_
