// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an operand that says a shape may hold: extents, paddings and places under which the op is valid and its result
// is of the type that the program states.
//
//   std::vector<ElementRange> ranges = ShapeOperandRanges(op, 1);   // of dynamic_reshape to tensor<2x?xf32>: {2, 2},
//   {3, 3}
#ifndef OPBYOP_REFERENCE_INPUTS_SHAPE_OPERAND_H_
#define OPBYOP_REFERENCE_INPUTS_SHAPE_OPERAND_H_

#include <cstdint>
#include <vector>

#include "mlir/IR/Operation.h"

namespace opbyop::reference {

struct ElementRange {
  int64_t low, high;
  bool operator==(const ElementRange&) const = default;
};

// One range per element of the operand; none where the op does not take its shape from it.
std::vector<ElementRange> ShapeOperandRanges(mlir::Operation* op, unsigned operand);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_SHAPE_OPERAND_H_
