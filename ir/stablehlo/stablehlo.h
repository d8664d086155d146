// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The StableHLO dialect: types, attributes and all 118 ops.
//
//   for (auto dot : function.getOps<opbyop::stablehlo::DotGeneralOp>())
//     Use(dot.getLhs(), dot.getDotDimensionNumbers());
//
// An op class has one accessor per operand, attribute, region and result of the
// StableHLO specification, in MLIR's spelling: broadcast_dimensions becomes
// getBroadcastDimensions(). The records are the .td files next to this header.
#ifndef OPBYOP_IR_STABLEHLO_STABLEHLO_H_
#define OPBYOP_IR_STABLEHLO_STABLEHLO_H_

#include <optional>

#include "ir/stablehlo/traits.h"
#include "ir/stablehlo/types.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

// Generated from the .td files, in order of dependency.
#include "ir/stablehlo/dialect.h.inc"
#include "ir/stablehlo/enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/stablehlo/attributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/stablehlo/types.h.inc"
#define GET_OP_CLASSES
#include "ir/stablehlo/control_flow.h.inc"
#define GET_OP_CLASSES
#include "ir/stablehlo/contraction.h.inc"
#define GET_OP_CLASSES
#include "ir/stablehlo/data_movement.h.inc"
#define GET_OP_CLASSES
#include "ir/stablehlo/distribution.h.inc"
#define GET_OP_CLASSES
#include "ir/stablehlo/dynamism.h.inc"
#define GET_OP_CLASSES
#include "ir/stablehlo/elementwise_binary.h.inc"
#define GET_OP_CLASSES
#include "ir/stablehlo/elementwise_unary.h.inc"
#define GET_OP_CLASSES
#include "ir/stablehlo/misc.h.inc"

#endif  // OPBYOP_IR_STABLEHLO_STABLEHLO_H_
