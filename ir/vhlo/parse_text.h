// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads VHLO as text: dumps of compilers and PJRT plugins. Attributes and types become builtin and StableHLO ones, as
// in bytecode; operations are in generic form, except functions.
//
//   Type type = ParseType(parser);   // !vhlo.tensor_v1<4x!vhlo.f32_v1> -> tensor<4xf32>
#ifndef OPBYOP_IR_VHLO_PARSE_TEXT_H_
#define OPBYOP_IR_VHLO_PARSE_TEXT_H_

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

namespace opbyop::vhlo {

// Whether a text has functions or operations of VHLO. May be wrong about one that has them in strings or comments.
bool IsVhloText(llvm::StringRef text);

// Return null after an error was reported.
mlir::Attribute ParseAttribute(mlir::DialectAsmParser& parser);
mlir::Type ParseType(mlir::DialectAsmParser& parser);

// `vhlo.func_v1 @main(%x: !vhlo.tensor_v1<4x!vhlo.f32_v1>) -> (!vhlo.tensor_v1<4x!vhlo.f32_v1>) {...} {arg_attrs = ...}`
mlir::ParseResult ParseFunction(mlir::OpAsmParser& parser, mlir::OperationState& state);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_PARSE_TEXT_H_
