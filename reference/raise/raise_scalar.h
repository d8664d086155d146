// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Translates scalar operations of arith and math, and elementwise operations of ttir and ttnn, to StableHLO.
#ifndef OPBYOP_REFERENCE_RAISE_RAISE_SCALAR_H_
#define OPBYOP_REFERENCE_RAISE_RAISE_SCALAR_H_

#include <string_view>

#include "mlir/IR/Builders.h"

namespace opbyop::reference {

// Maps "arith.addf" to "stablehlo.add" and "ttir.neg" to "stablehlo.negate". Returns an empty name if the op is not in
// the table, or if its translation depends on more than its name (arith.cmpf).
std::string_view StablehloNameOf(llvm::StringRef op);

// Makes an elementwise op for the scalar op `op`, on tensors of the shape `shape`. `operands` has one tensor per
// operand of `op`. Returns null if the op has no counterpart.
mlir::Value RaiseScalarOp(mlir::OpBuilder& builder, mlir::Operation* op, mlir::ValueRange operands,
                          llvm::ArrayRef<int64_t> shape);

// Makes the StableHLO op `name` with one result of `type`.
mlir::Value MakeStablehlo(mlir::OpBuilder& builder, mlir::Location loc, llvm::StringRef name, mlir::Type type,
                          mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

// Makes a constant with `value` in every element. Returns null if `value` is not a number.
mlir::Value SplatConstant(mlir::OpBuilder& builder, mlir::Location loc, mlir::Attribute value,
                          llvm::ArrayRef<int64_t> shape);

// Returns the element type that the reference uses for a scalar type: i64 for index.
mlir::Type ElementFor(mlir::Type scalar);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_RAISE_RAISE_SCALAR_H_
