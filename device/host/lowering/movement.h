// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Data movement that an op and its dynamic form share. All results have static shapes.
//
//   Value wide = BroadcastInDim(b, type, operand, {1});
#ifndef OPBYOP_DEVICE_HOST_LOWERING_MOVEMENT_H_
#define OPBYOP_DEVICE_HOST_LOWERING_MOVEMENT_H_

#include "device/host/lowering/loops.h"

namespace opbyop::host {

// Dimension i of the operand becomes dimension dimensions[i] of the result; if its size is 1, it is repeated along it.
mlir::Value BroadcastInDim(mlir::ImplicitLocOpBuilder& b, mlir::RankedTensorType type, mlir::Value operand,
                           llvm::ArrayRef<int64_t> dimensions);

// Every element is its index along `dimension`, as a number of the original type `element`.
mlir::Value Iota(mlir::ImplicitLocOpBuilder& b, mlir::RankedTensorType type, uint64_t dimension, mlir::Type element);

// The elements of an integer vector, whose original type is `type`, as indices.
ValueList IndexList(mlir::ImplicitLocOpBuilder& b, mlir::Value vector, mlir::Type type);

// result[low + i * step] = input[i] and `scalar` elsewhere, with one `low` (of either sign) and one `step` per
// dimension.
mlir::Value PaddedAtRunTime(mlir::ImplicitLocOpBuilder& b, mlir::RankedTensorType type, mlir::Value input,
                            mlir::Value scalar, mlir::ValueRange low, mlir::ValueRange step);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_LOWERING_MOVEMENT_H_
