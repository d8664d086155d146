// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Converts StableHLO's types for the dialects below it: signless integers, static shapes.
//
// StableHLO's i32 is signed and its ui32 unsigned; arith has only i32, with signed and unsigned ops. A pattern
// therefore asks the original type for signedness (IsUnsigned) and builds values of the converted one.
#ifndef OPBYOP_DEVICE_HOST_LOWERING_TYPES_H_
#define OPBYOP_DEVICE_HOST_LOWERING_TYPES_H_

#include <mlir/IR/BuiltinTypes.h>
#include <mlir/Transforms/DialectConversion.h>

namespace opbyop::host {

// Converts ranked tensors of static shape over i1..i64, ui2..ui64, f4..f64 and complex<f32 | f64>. No other type has a
// conversion.
class HostTypes : public mlir::TypeConverter {
 public:
  HostTypes();
};

// The element type of a tensor, or the type itself.
mlir::Type ElementOf(mlir::Type type);

bool IsUnsigned(mlir::Type element);
bool IsBool(mlir::Type element);
bool IsFloat(mlir::Type element);

// Whether `element` is a float of at most 8 bits: stored as an integer of its width, computed in f32 (narrow_float.h).
bool IsStoredFloat(mlir::Type element);

// The signless type that stores `element`. Returns null if the host cannot compute with it.
mlir::Type SignlessElement(mlir::Type element);

// The type in which sums of `element` are computed: f32 for narrower floats, else the signless type itself.
mlir::Type AccumulatorOf(mlir::Type element);

// The reason why `type` cannot be lowered, as the end of a sentence: "has a dynamic dimension". Empty if it can.
std::string WhyNotLowerable(mlir::Type type);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_LOWERING_TYPES_H_
