// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One element of an elementwise op, as arith, math and complex ops.
//
// The same table serves whole tensors (the body of a linalg.generic), reducers, comparators and every other
// region that computes on scalars: an op added to it works in all of them.
//
//   Value sum = EmitScalar(b, add_op, {x, y});        // null: not for these types
//   FailureOr<SmallVector<Value>> r = EmitScalarRegion(b, reduce.getBody(), {x, acc}, &culprit);
#ifndef OPBYOP_DEVICE_HOST_LOWERING_SCALAR_H_
#define OPBYOP_DEVICE_HOST_LOWERING_SCALAR_H_

#include <mlir/IR/ImplicitLocOpBuilder.h>

namespace opbyop::host {

// Whether the table has a row for this op: by op name, or for a custom call by its target.
bool IsScalarOp(mlir::Operation* op);

// The names of all rows, for patterns.
std::vector<llvm::StringRef> ScalarOpNames();

// `args` are values of the signless element types, one per operand. Floats narrower than 32 bits, those held as
// integers among them, are computed in f32 and rounded once. Null where the row has no meaning for the op's element
// types.
mlir::Value EmitScalar(mlir::ImplicitLocOpBuilder& b, mlir::Operation* op, mlir::ValueRange args);

// The values that the region's terminator returns, with `args` for its block arguments (tensors of rank 0 in the
// region, scalars here). On failure `culprit` is the op that is no scalar op.
llvm::FailureOr<llvm::SmallVector<mlir::Value>> EmitScalarRegion(mlir::ImplicitLocOpBuilder& b, mlir::Region& region,
                                                                 mlir::ValueRange args, mlir::Operation** culprit);

// True where every op of the region is in the table or a constant.
bool IsScalarRegion(mlir::Region& region, mlir::Operation** culprit);

// Between a narrow float and the type it is computed in; the value itself where the types agree.
mlir::Value ConvertFloat(mlir::ImplicitLocOpBuilder& b, mlir::Value value, mlir::Type to);

// stablehlo.convert of one element, from and to original element types. Null where undefined.
mlir::Value EmitConvert(mlir::ImplicitLocOpBuilder& b, mlir::Value value, mlir::Type from, mlir::Type to);

// Scalars of the original types `from` as numbers of the original types `to`, one each (of elements or tensors):
// reductions may compute in wider types than their operands have.
llvm::SmallVector<mlir::Value> Promoted(mlir::ImplicitLocOpBuilder& b, mlir::ValueRange scalars, mlir::TypeRange from,
                                        mlir::TypeRange to);

// A constant of the signless type of `element`: a number, in both parts of a complex type the real one.
mlir::Value ScalarConstant(mlir::ImplicitLocOpBuilder& b, mlir::Type element, double value);

// sum + lhs * rhs in the type of `sum`; elements of lhs and rhs are converted from their original types first.
mlir::Value MultiplyAdd(mlir::ImplicitLocOpBuilder& b, mlir::Value lhs, mlir::Type lhs_element, mlir::Value rhs,
                        mlir::Type rhs_element, mlir::Value sum);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_LOWERING_SCALAR_H_
