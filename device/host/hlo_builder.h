// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shorthand for the StableHLO ops that passes on StableHLO create.
//
//   Hlo h(b);
//   Value wide = h.Convert(stored, b.getI32Type());
//   Value real = h.Binary<stablehlo::MulOp>(h.Convert(wide, f32), h.Splat(ShapeOf(wide), f32, scale));
#ifndef OPBYOP_DEVICE_HOST_HLO_BUILDER_H_
#define OPBYOP_DEVICE_HOST_HLO_BUILDER_H_

#include <mlir/IR/ImplicitLocOpBuilder.h>

#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {

struct Hlo {
  explicit Hlo(mlir::ImplicitLocOpBuilder& builder) : b(builder) {}

  // A constant whose elements are all `value`, rounded to the element type.
  mlir::Value Splat(llvm::ArrayRef<int64_t> shape, mlir::Type element, double value);
  // A constant that varies along `dimension` of the shape.
  mlir::Value Vector(llvm::ArrayRef<int64_t> shape, mlir::Type element, llvm::ArrayRef<double> values,
                     int64_t dimension);
  mlir::Value Broadcast(mlir::Value operand, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dimensions);
  mlir::Value Convert(mlir::Value operand, mlir::Type element);
  mlir::Value Iota(llvm::ArrayRef<int64_t> shape, mlir::Type element, int64_t dimension);
  mlir::Value Reshape(mlir::Value operand, llvm::ArrayRef<int64_t> shape);
  // The elements [start, start + size) along one dimension.
  mlir::Value Slice(mlir::Value operand, int64_t dimension, int64_t start, int64_t size);
  // The element at a position that is computed, an i64 scalar, along one dimension, whose extent becomes 1.
  mlir::Value SliceAt(mlir::Value operand, int64_t dimension, mlir::Value position);
  // Replaces that element by `update`, which has as many elements.
  mlir::Value UpdateAt(mlir::Value operand, mlir::Value update, int64_t dimension, mlir::Value position);
  mlir::Value Compare(stablehlo::ComparisonDirection direction, mlir::Value lhs, mlir::Value rhs);
  template <typename OpT>
  mlir::Value Binary(mlir::Value lhs, mlir::Value rhs) {
    return OpT::create(b, lhs.getType(), mlir::ValueRange{lhs, rhs});
  }

  // Repeats `body`, which returns the next values from the number of the trip, an i64 scalar, and the values so far.
  // Returns the last values.
  using Values = llvm::SmallVector<mlir::Value>;
  Values Repeat(int64_t trips, mlir::ValueRange initial,
                llvm::function_ref<Values(mlir::Value trip, mlir::ValueRange values)> body);

  mlir::ImplicitLocOpBuilder& b;

 private:
  Values PlaceAt(mlir::Value operand, int64_t dimension, mlir::Value position);
};

// The attribute of type `element` nearest to `value`.
mlir::TypedAttr NumberAttr(mlir::Type element, double value);

llvm::ArrayRef<int64_t> StaticShape(mlir::Value tensor);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_HLO_BUILDER_H_
