// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sdy (Shardy) dialect: meshes of devices, and how values are distributed over them. JAX has written it into every
// export since 2025, even for one device.
//
//   if (auto constraint = llvm::dyn_cast<opbyop::sdy::ShardingConstraintOp>(op)) {
//     MeshAttr mesh = constraint.getSharding().MeshFor(op);
//     if (mesh && mesh.Size() == 1) ...  // one device: the constraint has no effect
//   }
#ifndef OPBYOP_IR_SDY_SDY_H_
#define OPBYOP_IR_SDY_SDY_H_

#include <optional>

#include "llvm/ADT/StringRef.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

// Generated from the .td files, in order of dependency.
#include "ir/sdy/dialect.h.inc"
#include "ir/sdy/enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/sdy/attributes.h.inc"
#define GET_OP_CLASSES
#include "ir/sdy/ops.h.inc"

namespace opbyop::sdy {

// The name of the attribute with which ops of other dialects state shardings of arguments and results.
inline constexpr llvm::StringRef kShardingName = "sdy.sharding";

// True for ops that convert a value from one sharding to another. The sharding of the operand is part of their meaning.
bool IsCollective(mlir::Operation* op);

// Returns the sharding of `value`, as stated by the op that defines it or by the function whose argument it is. Null if
// none is stated.
TensorShardingAttr ShardingOf(mlir::Value value);

// Returns the meshes that `op` itself names. An entry is null if no mesh has the name.
llvm::SmallVector<MeshAttr> MeshesOf(mlir::Operation* op);

}  // namespace opbyop::sdy

#endif  // OPBYOP_IR_SDY_SDY_H_
