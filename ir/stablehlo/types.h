// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Questions about StableHLO types: what the ODS constraints and the verifiers
// ask. A signless integer of more than one bit is signed.
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
// Whether the axis of a per-axis quantized tensor exists and has one scale per
// element. True of everything else.
bool IsWellQuantized(mlir::Type type);
bool IsValueType(mlir::Type type);       // what StableHLO ops pass around
bool IsCustomCallType(mlir::Type type);  // what a custom call may take

// The dimension's upper bound if the type carries one, else kDynamic.
int64_t BoundOf(mlir::RankedTensorType type, int64_t dimension);

// Whether two types can describe one value: equal where both are static. A
// dynamic dimension may meet anything within its bound.
bool CompatibleShapes(mlir::Type a, mlir::Type b);
bool CompatibleDims(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
bool CompatibleDim(int64_t a, int64_t b);
// Element types agree; quantized ones in storage and expressed type only.
bool CompatibleElements(mlir::Type a, mlir::Type b);
bool CompatibleTypes(mlir::Type a, mlir::Type b);
bool CompatibleTypes(mlir::TypeRange a, mlir::TypeRange b);

// The type with the same shape and encoding as a tensor of complex elements, but of their parts. Others stay.
mlir::Type RealPart(mlir::Type type);

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_TYPES_H_
