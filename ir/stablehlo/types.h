// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Predicates and functions on StableHLO types, for the ODS constraints and the verifiers. A signless integer of more
// than one bit counts as signed.
//
//   if (!CompatibleShapes(lhs.getType(), rhs.getType())) ...
#ifndef OPBYOP_IR_STABLEHLO_TYPES_H_
#define OPBYOP_IR_STABLEHLO_TYPES_H_

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeRange.h"
#include "mlir/IR/Types.h"

namespace opbyop::stablehlo {

bool IsBoolean(mlir::Type type);
bool IsInteger(mlir::Type type);  // signed or unsigned, not boolean
bool IsSignedInteger(mlir::Type type);
bool IsUnsignedInteger(mlir::Type type);
bool IsFloat(mlir::Type type);
bool IsF32OrF64(mlir::Type type);
bool IsComplex(mlir::Type type);
bool IsPerTensorQuantized(mlir::Type type);
bool IsPerAxisQuantized(mlir::Type type);
bool IsQuantized(mlir::Type type);
bool IsIndex(mlir::Type type);
// Whether the axis of a per-axis quantized tensor exists and has one scale per element. True for all other types.
bool IsWellQuantized(mlir::Type type);
bool IsValueType(mlir::Type type);       // types of values that StableHLO ops take and give
bool IsCustomCallType(mlir::Type type);  // types that a custom call may take

// Returns the dimension's upper bound if the type has one, else kDynamic.
int64_t BoundOf(mlir::RankedTensorType type, int64_t dimension);

// Whether two types can describe the same value: dimensions that are static in both must be equal. A dynamic dimension
// is compatible with any size within its bound.
bool CompatibleShapes(mlir::Type a, mlir::Type b);
bool CompatibleDims(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
bool CompatibleDim(int64_t a, int64_t b);
// Whether element types agree. For quantized types only storage and expressed type must agree.
bool CompatibleElements(mlir::Type a, mlir::Type b);
bool CompatibleTypes(mlir::Type a, mlir::Type b);
bool CompatibleTypes(mlir::TypeRange a, mlir::TypeRange b);

// For a tensor of complex elements, returns the type with the same shape and encoding whose elements are their real
// parts. Returns other types unchanged.
mlir::Type RealPart(mlir::Type type);

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_TYPES_H_
