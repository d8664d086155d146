// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lets a pass report an op that it knows and cannot lower. The stage then ends as unsupported, with the reason, instead
// of as failed.
//
//   EmitUnsupported(op) << "it casts complex numbers";     // unsupported: 'stablehlo.bitcast_convert': it casts ...
#ifndef OPBYOP_DEVICE_PIPELINE_REFUSAL_H_
#define OPBYOP_DEVICE_PIPELINE_REFUSAL_H_

#include <mlir/IR/Diagnostics.h>
#include <mlir/IR/Operation.h>

namespace opbyop::device {

// The prefix of such an error.
inline constexpr llvm::StringLiteral kUnsupportedPrefix = "unsupported: ";

inline mlir::InFlightDiagnostic EmitUnsupported(mlir::Operation* op) {
  return op->emitError() << kUnsupportedPrefix << "'" << op->getName() << "': ";
}

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_PIPELINE_REFUSAL_H_
