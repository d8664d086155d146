// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a pass says that it knows an op which it cannot lower: the stage then ends as unsupported, with the reason, and
// not as failed.
//
//   EmitUnsupported(op) << "it casts complex numbers";     // unsupported: 'stablehlo.bitcast_convert': it casts ...
#ifndef OPBYOP_DEVICE_PIPELINE_REFUSAL_H_
#define OPBYOP_DEVICE_PIPELINE_REFUSAL_H_

#include <mlir/IR/Diagnostics.h>
#include <mlir/IR/Operation.h>

namespace opbyop::device {

// What such an error begins with.
inline constexpr llvm::StringLiteral kUnsupportedPrefix = "unsupported: ";

inline mlir::InFlightDiagnostic EmitUnsupported(mlir::Operation* op) {
  return op->emitError() << kUnsupportedPrefix << "'" << op->getName() << "': ";
}

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_PIPELINE_REFUSAL_H_
