// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes versioned attributes and types: the counterparts of read_attribute.h and read_type.h.
//
//   WriteAttribute(writer, wrapped.inner(), /*is_api_version=*/false);
//
// Callers must first refuse attributes and types that the version cannot represent: SinceVersion (versions.h).
#ifndef OPBYOP_IR_VHLO_WRITE_ATTRIBUTE_H_
#define OPBYOP_IR_VHLO_WRITE_ATTRIBUTE_H_

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace opbyop::vhlo {

mlir::LogicalResult WriteAttribute(mlir::DialectBytecodeWriter& writer, mlir::Attribute attribute, bool is_api_version);
mlir::LogicalResult WriteType(mlir::DialectBytecodeWriter& writer, mlir::Type type);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_WRITE_ATTRIBUTE_H_
