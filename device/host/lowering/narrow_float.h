// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Floats of 4, 6 and 8 bits: integers of their width in memory, f32 wherever something is computed.
//
//   Value real = DecodeFloat(b, bits, format);              // i8 -> f32, exact
//   Value bits = EncodeFloat(b, real, format);              // f32 or f64 -> i8, rounded once, to nearest even
//
// What is too large becomes infinity, NaN or the largest finite number, as the format has them.
#ifndef OPBYOP_DEVICE_HOST_LOWERING_NARROW_FLOAT_H_
#define OPBYOP_DEVICE_HOST_LOWERING_NARROW_FLOAT_H_

#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/ImplicitLocOpBuilder.h>

namespace opbyop::host {

mlir::Value DecodeFloat(mlir::ImplicitLocOpBuilder& b, mlir::Value bits, mlir::FloatType format);
mlir::Value EncodeFloat(mlir::ImplicitLocOpBuilder& b, mlir::Value real, mlir::FloatType format);

// A value of the signless type of `element` in the type that is computed in, and a computed one in the signless type
// of the float `element`.
mlir::Value Widened(mlir::ImplicitLocOpBuilder& b, mlir::Value value, mlir::Type element);
mlir::Value Narrowed(mlir::ImplicitLocOpBuilder& b, mlir::Value value, mlir::Type element);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_LOWERING_NARROW_FLOAT_H_
