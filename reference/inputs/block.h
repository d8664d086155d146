// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The extents of the blocks of an operand whose elements go into one element of the result: the reach of a window, a
// column of a right matrix, the kernel of an output feature, a row that is reduced.
//
//   ReductionBlock(reduce, 0)               // {1, 100} for an operand of 4x100 that is reduced along its rows
//   BlockCount({4, 100}, {1, 100})          // 4
#ifndef OPBYOP_REFERENCE_INPUTS_BLOCK_H_
#define OPBYOP_REFERENCE_INPUTS_BLOCK_H_

#include <cstdint>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "reference/tensor/tensor.h"

namespace opbyop::reference {

// Returns the shape of the value. Empty if it is not static.
Shape ShapeOf(mlir::Value value);
// Returns its dimensions, those that are not static included. Empty if its type has no rank.
llvm::ArrayRef<int64_t> DimensionsOf(mlir::Value value);

// Returns an attribute with `count` numbers. If the op does not have it, each number is `value`.
std::vector<int64_t> IntsOr(mlir::Operation* op, llvm::StringRef name, size_t count, int64_t value);

// Returns the extents of the tensor in the given dimensions, and 1 in the others.
Shape Along(const Shape& shape, llvm::ArrayRef<int64_t> dimensions);

// Returns the number of blocks that cover a tensor. The last block of a dimension may be cut short.
int64_t BlockCount(const Shape& shape, const Shape& block);

// ProductBlock returns an empty shape if the op is not a product. ReductionBlock does so if the op is neither a
// reduction nor a window, whatever its function.
Shape ProductBlock(mlir::Operation* op, unsigned operand);
Shape ReductionBlock(mlir::Operation* op, unsigned operand);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_BLOCK_H_
