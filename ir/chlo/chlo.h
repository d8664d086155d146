// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The CHLO dialect: 51 ops that frontends emit in addition to StableHLO, most of
// them special functions and implicit broadcasts.
//
//   if (auto erf = llvm::dyn_cast<opbyop::chlo::ErfOp>(op)) Use(erf.getOperand());
#ifndef OPBYOP_IR_CHLO_CHLO_H_
#define OPBYOP_IR_CHLO_CHLO_H_

#include <optional>
#include <vector>

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

namespace opbyop::chlo {

// The name of the attribute with the dimensions of a ragged dot.
inline constexpr llvm::StringLiteral kRaggedNumbers = "ragged_dot_dimension_numbers";

// The dimensions of a ragged dot, as its attribute has them.
struct RaggedNumbers {
  std::vector<int64_t> lhs_batching, rhs_batching, lhs_contracting, rhs_contracting, lhs_ragged, rhs_group;
};

// Reads the attribute itself, or what a composite has instead: an array of its six lists, in the order of its fields.
// Returns nullopt for any other attribute and for null. Needs no dialect, which a program with composites may not load.
std::optional<RaggedNumbers> RaggedNumbersOf(mlir::Attribute attribute);

}  // namespace opbyop::chlo

#endif  // OPBYOP_IR_CHLO_CHLO_H_
