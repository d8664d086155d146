// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Converts the attributes of a versioned op, which are flat and include all defaults, to StableHLO's: omits defaults
// and builds struct attributes.
//
//   NamedAttrList attributes;
//   StablehloAttributes(*FindVhloOp("gather_v2"), op, attributes);  // dimension_numbers = #stablehlo.gather<..>, ...
#ifndef OPBYOP_IR_VHLO_STABLEHLO_ATTRIBUTES_H_
#define OPBYOP_IR_VHLO_STABLEHLO_ATTRIBUTES_H_

#include "ir/vhlo/vhlo_ops.h"
#include "mlir/IR/Operation.h"

namespace opbyop::vhlo {

// Fills `attributes` from those of `op`, a vhlo op of table row `entry`. Emits an error at `op` if the row does not
// allow a value.
mlir::LogicalResult StablehloAttributes(const VhloOp& entry, mlir::Operation* op, mlir::NamedAttrList& attributes);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_STABLEHLO_ATTRIBUTES_H_
