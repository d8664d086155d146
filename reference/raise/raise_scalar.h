// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names of scalar operations in arith and math, and of elementwise ones in ttir and ttnn, in StableHLO.
#ifndef OPBYOP_REFERENCE_RAISE_RAISE_SCALAR_H_
#define OPBYOP_REFERENCE_RAISE_RAISE_SCALAR_H_

#include <string_view>

#include "mlir/IR/Builders.h"

namespace opbyop::reference {

// "arith.addf" -> "stablehlo.add", "ttir.neg" -> "stablehlo.negate"; empty where the op is none of the table, or needs
// more than its name (arith.cmpf).
std::string_view StablehloNameOf(llvm::StringRef op);

// An elementwise op on tensors of one shape for the scalar op `op`; null where it has no counterpart.
// `operands`: tensors, one per operand of `op`. The result has the shape `shape`.
mlir::Value RaiseScalarOp(mlir::OpBuilder& builder, mlir::Operation* op, mlir::ValueRange operands,
                          llvm::ArrayRef<int64_t> shape);

// stablehlo op `name` with one result of `type`.
mlir::Value MakeStablehlo(mlir::OpBuilder& builder, mlir::Location loc, llvm::StringRef name, mlir::Type type,
                          mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

// A constant of one value everywhere; null where `value` is no number.
mlir::Value SplatConstant(mlir::OpBuilder& builder, mlir::Location loc, mlir::Attribute value,
                          llvm::ArrayRef<int64_t> shape);

// The element type of the reference: index is i64.
mlir::Type ElementFor(mlir::Type scalar);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_RAISE_RAISE_SCALAR_H_
