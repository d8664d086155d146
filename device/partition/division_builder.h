// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds the ops with which devices change the division of a tensor, and sum their parts.
//
//   DivisionBuilder divisions(builder, 8);
//   mlir::Value part = divisions.Reshard(value, {16, 8}, from, to);
//   mlir::Value sum = divisions.AllReduce(part, axes, "stablehlo.add");
#ifndef OPBYOP_DEVICE_PARTITION_DIVISION_BUILDER_H_
#define OPBYOP_DEVICE_PARTITION_DIVISION_BUILDER_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "support/sharding/axes.h"

namespace opbyop::device {

class DivisionBuilder {
 public:
  DivisionBuilder(mlir::ImplicitLocOpBuilder& builder, int64_t devices) : b_(builder), devices_(devices) {}

  // A device's part under `to` of the tensor of this shape of which it has the part `value` under `from`.
  mlir::Value Reshard(mlir::Value value, llvm::ArrayRef<int64_t> shape, const Division& from, const Division& to);

  // The part with `fill`, a scalar of the same element type, in the place of its padding along a dimension of `size`
  // elements that these axes divide.
  mlir::Value FillPadding(mlir::Value part, int64_t dimension, int64_t size, const Axes& axes, mlir::Value fill);

  // A scalar zero of an integer, a float or a complex number.
  mlir::Value Zero(mlir::Type element);

  // The devices that differ in these axes combine their tensors by the op of this name.
  mlir::Value AllReduce(mlir::Value value, const Axes& axes, llvm::StringRef combine);

  mlir::Value Convert(mlir::Value value, mlir::Type element);

  // Adds a block that combines two scalars by the op of this name.
  void AddComputation(mlir::Region& region, mlir::Type element, llvm::StringRef combine);

 private:
  mlir::Value AllGather(mlir::Value value, int64_t dimension, const Axes& axes);
  mlir::Value Slice(mlir::Value value, int64_t dimension, const Axes& axes);

  // The first `size` elements of a dimension; more than it has are repetitions of it.
  mlir::Value Resize(mlir::Value value, int64_t dimension, int64_t size);

  // The number of the device's part along these axes, and of its first element if parts have `size`, as scalars of ui32.
  mlir::Value Part(const Axes& axes);
  mlir::Value FirstOfPart(const Axes& axes, int64_t size);
  mlir::Value Number(int64_t value);
  mlir::Operation* Collective(llvm::StringRef name, mlir::Value operand, mlir::Type result, const Axes& axes,
                              llvm::ArrayRef<mlir::NamedAttribute> attributes, unsigned regions);

  mlir::ImplicitLocOpBuilder& b_;
  int64_t devices_;
  int64_t channel_ = 0;
};

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_PARTITION_DIVISION_BUILDER_H_
