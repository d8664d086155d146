// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shorthand for the linalg and tensor ops that lowerings create. All tensors have static shapes.
//
//   Value sum = Pointwise(b, type, {x, y}, [&](auto& b, ValueRange v) { return ValueList{Add(b, v[0], v[1])}; });
#ifndef OPBYOP_DEVICE_HOST_LOWERING_LOOPS_H_
#define OPBYOP_DEVICE_HOST_LOWERING_LOOPS_H_

#include <mlir/Dialect/Utils/StructuredOpsUtils.h>
#include <mlir/IR/AffineMap.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/ImplicitLocOpBuilder.h>

namespace opbyop::host {

using ValueList = llvm::SmallVector<mlir::Value>;
// Gets the scalars of the operands, inputs first; returns the scalars to store. Returns an empty list on failure:
// Generic then fails too.
using Body = llvm::function_ref<ValueList(mlir::ImplicitLocOpBuilder& b, mlir::ValueRange scalars)>;

inline constexpr auto kParallel = mlir::utils::IteratorType::parallel;
inline constexpr auto kReduction = mlir::utils::IteratorType::reduction;

mlir::Value Empty(mlir::ImplicitLocOpBuilder& b, mlir::RankedTensorType type);
mlir::Value Filled(mlir::ImplicitLocOpBuilder& b, mlir::RankedTensorType type, mlir::Value scalar);

// A linalg.generic whose loops run in the order of `iterators`, the last one innermost. Maps: inputs, then outputs.
ValueList Generic(mlir::ImplicitLocOpBuilder& b, mlir::ValueRange inputs, mlir::ValueRange outputs,
                  llvm::ArrayRef<mlir::AffineMap> maps, llvm::ArrayRef<mlir::utils::IteratorType> iterators, Body body);

// All operands have the shape of the result.
mlir::Value Pointwise(mlir::ImplicitLocOpBuilder& b, mlir::RankedTensorType type, mlir::ValueRange inputs, Body body);

// result[i] = input[map(i)] over the result's shape.
mlir::Value CopyThrough(mlir::ImplicitLocOpBuilder& b, mlir::RankedTensorType type, mlir::Value input,
                        mlir::AffineMap map);

// output[offsets + i * strides] = input[i] over the input's shape; the other elements of `output` are unchanged.
mlir::Value CopyInto(mlir::ImplicitLocOpBuilder& b, mlir::Value input, mlir::Value output,
                     llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> strides);

// Dimension i of the result is dimension permutation[i] of the input. Returns the input itself for the identity.
mlir::Value Transposed(mlir::ImplicitLocOpBuilder& b, mlir::Value input, llvm::ArrayRef<int64_t> permutation);

// The same elements in the same order. Returns the input itself if the shape is the same.
mlir::Value Reshaped(mlir::ImplicitLocOpBuilder& b, mlir::Value input, llvm::ArrayRef<int64_t> shape);

// Low and high padding, possibly negative, and `interior` elements between neighbours.
mlir::Value Padded(mlir::ImplicitLocOpBuilder& b, mlir::Value input, mlir::Value scalar, llvm::ArrayRef<int64_t> low,
                   llvm::ArrayRef<int64_t> high, llvm::ArrayRef<int64_t> interior);

// Elements in the opposite order along `dimensions`.
mlir::Value Reversed(mlir::ImplicitLocOpBuilder& b, mlir::Value input, llvm::ArrayRef<int64_t> dimensions);

// Builds `for (i = from; i < to; ++i) carried = body(i, carried)` and returns the last carried values.
using LoopBody = llvm::function_ref<ValueList(mlir::ImplicitLocOpBuilder& b, mlir::Value i, mlir::ValueRange carried)>;
ValueList For(mlir::ImplicitLocOpBuilder& b, mlir::Value from, mlir::Value to, mlir::ValueRange carried, LoopBody body);

// Nests one For in another, with `sizes` from the outermost loop inwards; `body` gets all indices.
using NestBody =
    llvm::function_ref<ValueList(mlir::ImplicitLocOpBuilder& b, mlir::ValueRange at, mlir::ValueRange carried)>;
ValueList ForAll(mlir::ImplicitLocOpBuilder& b, llvm::ArrayRef<int64_t> sizes, mlir::ValueRange carried, NestBody body);

mlir::Value ConstantIndex(mlir::ImplicitLocOpBuilder& b, int64_t value);

// The only element of a tensor of rank 0.
mlir::Value ScalarOf(mlir::ImplicitLocOpBuilder& b, mlir::Value tensor);

// `index` (an integer of the original type `element`) as an index, clamped to [0, limit].
mlir::Value ClampedIndex(mlir::ImplicitLocOpBuilder& b, mlir::Value index, mlir::Type element, int64_t limit);
// The same, without clamping.
mlir::Value ToIndex(mlir::ImplicitLocOpBuilder& b, mlir::Value index, mlir::Type element);

llvm::ArrayRef<int64_t> ShapeOf(mlir::Value tensor);
mlir::RankedTensorType WithShape(mlir::Value tensor, llvm::ArrayRef<int64_t> shape);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_LOWERING_LOOPS_H_
