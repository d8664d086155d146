// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lowers one element of an elementwise op to arith, math and complex ops.
//
// The same table serves whole tensors (the body of a linalg.generic), reducers, comparators and every other region that
// computes on scalars: an op that is added to it works in all of them.
//
//   Value sum = EmitScalar(b, add_op, {x, y});        // null: not for these types
//   FailureOr<SmallVector<Value>> r = EmitScalarRegion(b, reduce.getBody(), {x, acc}, &culprit);
#ifndef OPBYOP_DEVICE_HOST_LOWERING_SCALAR_H_
#define OPBYOP_DEVICE_HOST_LOWERING_SCALAR_H_

#include <mlir/IR/ImplicitLocOpBuilder.h>

namespace opbyop::host {

// Returns whether the table has a row for this op: by the op's name, or by the target of a custom call.
bool IsScalarOp(mlir::Operation* op);

// The names of all rows, for patterns.
std::vector<llvm::StringRef> ScalarOpNames();

// `args` are values of the signless element types, one per operand. Floats narrower than 32 bits, including those
// stored as integers, are computed in f32 and rounded once. Returns null if the row has no meaning for the op's element
// types.
mlir::Value EmitScalar(mlir::ImplicitLocOpBuilder& b, mlir::Operation* op, mlir::ValueRange args);

// Returns the op of a region that is `return op(a, b)` on its two arguments, in either order; null for any other region.
mlir::Operation* SoleOpOfBoth(mlir::Region& region);

// Returns the values that the region's terminator returns, with `args` for its block arguments (tensors of rank 0 in
// the region, scalars here). On failure, `culprit` is the op that is no scalar op.
llvm::FailureOr<llvm::SmallVector<mlir::Value>> EmitScalarRegion(mlir::ImplicitLocOpBuilder& b, mlir::Region& region,
                                                                 mlir::ValueRange args, mlir::Operation** culprit);

// Returns true if every op of the region is in the table or is a constant.
bool IsScalarRegion(mlir::Region& region, mlir::Operation** culprit);

// Converts between a narrow float and the type that it is computed in; returns the value itself if the types agree.
mlir::Value ConvertFloat(mlir::ImplicitLocOpBuilder& b, mlir::Value value, mlir::Type to);

// Lowers stablehlo.convert of one element, from and to original element types. Returns null if it is undefined.
mlir::Value EmitConvert(mlir::ImplicitLocOpBuilder& b, mlir::Value value, mlir::Type from, mlir::Type to);

// Converts scalars of the original types `from` to the original types `to`, pairwise (types of elements or tensors).
// Reductions may compute in wider types than their operands have.
llvm::SmallVector<mlir::Value> Promoted(mlir::ImplicitLocOpBuilder& b, mlir::ValueRange scalars, mlir::TypeRange from,
                                        mlir::TypeRange to);

// A constant of the signless type of `element`: `value`, or `value` in the real part of a complex type.
mlir::Value ScalarConstant(mlir::ImplicitLocOpBuilder& b, mlir::Type element, double value);

// Returns sum + lhs * rhs in the type of `sum`. Elements of lhs and rhs are converted from their original types first.
mlir::Value MultiplyAdd(mlir::ImplicitLocOpBuilder& b, mlir::Value lhs, mlir::Type lhs_element, mlir::Value rhs,
                        mlir::Type rhs_element, mlir::Value sum);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_LOWERING_SCALAR_H_
