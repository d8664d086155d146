// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From StableHLO's attributes to the flat, fully spelt ones of a versioned op: the way back of stablehlo_attributes.h.
//
//   NamedAttrList attributes;
//   FlatAttributes(*FindVhloOp("gather", target), op, target, attributes);  // offset_dims, collapsed_slice_dims, ...
#ifndef OPBYOP_IR_VHLO_FLAT_ATTRIBUTES_H_
#define OPBYOP_IR_VHLO_FLAT_ATTRIBUTES_H_

#include "ir/vhlo/vhlo_ops.h"
#include "mlir/IR/Operation.h"

namespace opbyop::vhlo {

// Fills `attributes` for the op of row `entry` that `op` (stablehlo or func) becomes. Emits an error at `op` where it
// says something that only a newer version of the op can say.
mlir::LogicalResult FlatAttributes(const VhloOp& entry, mlir::Operation* op, const VhloVersion& target,
                                   mlir::NamedAttrList& attributes);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_FLAT_ATTRIBUTES_H_
