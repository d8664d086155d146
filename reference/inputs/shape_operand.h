// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The values that an operand may have if the op takes a shape from it: extents, paddings and positions with which the
// op is valid and its result has the type that the program states.
//
//   // For a dynamic_reshape to tensor<2x?xf32> of an operand with 6 elements: {2, 2}, {3, 3}
//   std::vector<ElementRange> ranges = ShapeOperandRanges(op, 1);
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

// Returns one range per element of the operand. Empty if the op does not take a shape from it.
std::vector<ElementRange> ShapeOperandRanges(mlir::Operation* op, unsigned operand);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_SHAPE_OPERAND_H_
