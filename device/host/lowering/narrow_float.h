// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Floats of 4, 6 and 8 bits: stored as integers of their width, computed in f32.
//
//   Value real = DecodeFloat(b, bits, format);              // i8 -> f32, exact
//   Value bits = EncodeFloat(b, real, format);              // f32 or f64 -> i8, rounded once, to nearest even
//
// A value that is too large becomes infinity, NaN or the largest finite number, as the format prescribes.
#ifndef OPBYOP_DEVICE_HOST_LOWERING_NARROW_FLOAT_H_
#define OPBYOP_DEVICE_HOST_LOWERING_NARROW_FLOAT_H_

#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/ImplicitLocOpBuilder.h>

namespace opbyop::host {

mlir::Value DecodeFloat(mlir::ImplicitLocOpBuilder& b, mlir::Value bits, mlir::FloatType format);
mlir::Value EncodeFloat(mlir::ImplicitLocOpBuilder& b, mlir::Value real, mlir::FloatType format);

// Widened converts a stored value, of the signless type of `element`, to the type that is computed in. Narrowed
// converts a computed value to the signless type of the float `element`.
mlir::Value Widened(mlir::ImplicitLocOpBuilder& b, mlir::Value value, mlir::Type element);
mlir::Value Narrowed(mlir::ImplicitLocOpBuilder& b, mlir::Value value, mlir::Type element);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_LOWERING_NARROW_FLOAT_H_
