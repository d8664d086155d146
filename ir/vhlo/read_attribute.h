// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads one versioned attribute of a portable artifact: its code, then its parts.
//
//   Attribute value = ReadAttribute(reader);  // integer_v1<7 : si64> -> 7 : i64
#ifndef OPBYOP_IR_VHLO_READ_ATTRIBUTE_H_
#define OPBYOP_IR_VHLO_READ_ATTRIBUTE_H_

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace opbyop::vhlo {

// Returns the builtin or StableHLO attribute, or null after emitting an error.
mlir::Attribute ReadAttribute(mlir::DialectBytecodeReader& reader);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_READ_ATTRIBUTE_H_
