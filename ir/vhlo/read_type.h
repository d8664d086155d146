// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads one versioned type of a portable artifact: its code, then its parts.
//
//   Type type = ReadType(reader);  // ranked_tensor_v1 of si32_v1 -> tensor<2x3xi32>
#ifndef OPBYOP_IR_VHLO_READ_TYPE_H_
#define OPBYOP_IR_VHLO_READ_TYPE_H_

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace opbyop::vhlo {

// Returns the builtin, quant or StableHLO type, or null after emitting an error.
mlir::Type ReadType(mlir::DialectBytecodeReader& reader);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_READ_TYPE_H_
