// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The check and interpreter dialects: expectations about values, and ops with
// which test programs run processes, print and probe.
//
//   function.walk([](opbyop::check::ExpectEqOp op) { Compare(op.getLhs(), op.getRhs()); });
#ifndef OPBYOP_IR_CHECK_CHECK_H_
#define OPBYOP_IR_CHECK_CHECK_H_

#include <optional>

#include "ir/stablehlo/stablehlo.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"

// Generated from the .td files.
#include "ir/check/check_dialect.h.inc"
#include "ir/check/interpreter_dialect.h.inc"
#define GET_OP_CLASSES
#include "ir/check/check.h.inc"
#define GET_OP_CLASSES
#include "ir/check/interpreter.h.inc"

#endif  // OPBYOP_IR_CHECK_CHECK_H_
