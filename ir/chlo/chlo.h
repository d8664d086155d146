// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The CHLO dialect: 51 ops that frontends emit in addition to StableHLO, most of
// them special functions and implicit broadcasts.
//
//   if (auto erf = llvm::dyn_cast<opbyop::chlo::ErfOp>(op)) Use(erf.getOperand());
#ifndef OPBYOP_IR_CHLO_CHLO_H_
#define OPBYOP_IR_CHLO_CHLO_H_

#include <optional>

#include "ir/stablehlo/traits.h"
#include "ir/stablehlo/types.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

// Generated from the .td files, in order of dependency.
#include "ir/chlo/dialect.h.inc"
#include "ir/chlo/enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/chlo/attributes.h.inc"
#define GET_OP_CLASSES
#include "ir/chlo/broadcast.h.inc"
#define GET_OP_CLASSES
#include "ir/chlo/ops.h.inc"

#endif  // OPBYOP_IR_CHLO_CHLO_H_
