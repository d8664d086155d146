// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The blocks of an operand whose elements meet in one element of a result, by their extents: what a window reaches, the
// column of a right matrix, the kernel of an output feature, the row that is reduced.
//
//   ReductionBlock(reduce, 0)               // {1, 100}: of an operand of 4x100 that is reduced along its rows
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

// Empty where it is not static.
Shape ShapeOf(mlir::Value value);

// An attribute of an op with `count` numbers; each of them `value` where it is absent.
std::vector<int64_t> IntsOr(mlir::Operation* op, llvm::StringRef name, size_t count, int64_t value);

// As long as the tensor in the given dimensions, of one element in the others.
Shape Along(const Shape& shape, llvm::ArrayRef<int64_t> dimensions);

// How many cover a tensor; the last ones of a dimension may be cut short.
int64_t BlockCount(const Shape& shape, const Shape& block);

// Empty where the op is no product; or no reduction and no window, by whatever function.
Shape ProductBlock(mlir::Operation* op, unsigned operand);
Shape ReductionBlock(mlir::Operation* op, unsigned operand);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_BLOCK_H_
