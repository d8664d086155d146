// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Converts StableHLO's attributes to those of a versioned op, which are flat and include all defaults. The inverse of
// stablehlo_attributes.h.
//
//   NamedAttrList attributes;
//   FlatAttributes(*FindVhloOp("gather", target), op, target, attributes);  // offset_dims, collapsed_slice_dims, ...
#ifndef OPBYOP_IR_VHLO_FLAT_ATTRIBUTES_H_
#define OPBYOP_IR_VHLO_FLAT_ATTRIBUTES_H_

#include "ir/vhlo/vhlo_ops.h"
#include "mlir/IR/Operation.h"

namespace opbyop::vhlo {

// Fills `attributes` for the versioned op of row `entry` that `op` (of stablehlo or func) becomes. Emits an error at
// `op` if only a newer version of the versioned op can express it.
mlir::LogicalResult FlatAttributes(const VhloOp& entry, mlir::Operation* op, const VhloVersion& target,
                                   mlir::NamedAttrList& attributes);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_FLAT_ATTRIBUTES_H_
