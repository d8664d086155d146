// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The attribute and type encodings of portable artifacts (VHLO 0.9.0 to 1.20.0).
//
//   dialect.addInterface(MakeBytecodeInterface(&dialect));
#ifndef OPBYOP_IR_VHLO_VHLO_BYTECODE_H_
#define OPBYOP_IR_VHLO_VHLO_BYTECODE_H_

#include <memory>

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace opbyop::vhlo {

std::unique_ptr<mlir::BytecodeDialectInterface> MakeBytecodeInterface(mlir::Dialect* dialect);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_VHLO_BYTECODE_H_
