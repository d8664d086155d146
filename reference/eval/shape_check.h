// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks shapes that a program computes when it runs.
//
//   const Expected<Shape> shape = ShapeAt(context, 1);   // kBadInput: "a result of 137.4 GB, this machine has ..."
#ifndef OPBYOP_REFERENCE_EVAL_SHAPE_CHECK_H_
#define OPBYOP_REFERENCE_EVAL_SHAPE_CHECK_H_

#include <cstddef>

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// Returns kBadInput if a size is negative or the tensor would not fit the machine's memory.
Expected<void> CheckShape(const OpContext& context, const Shape& shape);

// Returns the shape that an operand holds as its value, after CheckShape().
Expected<Shape> ShapeAt(const OpContext& context, size_t operand);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_SHAPE_CHECK_H_
