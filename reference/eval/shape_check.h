// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shapes that are values of a running program.
//
//   const Expected<Shape> shape = ShapeAt(context, 1);   // kBadInput: "a result of 137.4 GB, this machine has ..."
#ifndef OPBYOP_REFERENCE_EVAL_SHAPE_CHECK_H_
#define OPBYOP_REFERENCE_EVAL_SHAPE_CHECK_H_

#include <cstddef>

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// kBadInput where a size is negative, or the elements are more than the machine's memory holds.
Expected<void> CheckShape(const OpContext& context, const Shape& shape);

// The shape that an operand's value is, checked.
Expected<Shape> ShapeAt(const OpContext& context, size_t operand);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_SHAPE_CHECK_H_
