// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the value of a shape operand if it is known without running the program: arithmetic on constants and on the
// sizes of static dimensions.
//
//   if (std::optional<DimensionValue> shape = FindDimensionValue(op->getOperand(1))) Use(shape->elements);
//
// Integer tensors of few elements are followed through the ops with which frameworks compute shapes: constants,
// get_dimension_size and tensor.dim, elementwise arithmetic, comparison and select, conversions, reshape, concatenate,
// slice, broadcast and calls of functions of these, in StableHLO, arith, tensor and shape.
#ifndef OPBYOP_GENERATOR_SPECIALIZE_DIMENSION_VALUES_H_
#define OPBYOP_GENERATOR_SPECIALIZE_DIMENSION_VALUES_H_

#include <cstdint>
#include <optional>

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace opbyop::generator {

struct DimensionValue {
  llvm::SmallVector<int64_t, 4> elements;
  bool from_dimension = false;  // computed not only from constants, but also from the size of a dimension
};

// Marks a constant that replaced the size of a dimension: its value counts as computed from a dimension.
inline constexpr llvm::StringLiteral kDimensionAttribute = "opbyop.dimension";

// Returns std::nullopt if the value is unknown, is no integer or has too many elements.
std::optional<DimensionValue> FindDimensionValue(mlir::Value value);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPECIALIZE_DIMENSION_VALUES_H_
