// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A copy of a program in which each call is replaced by the ops of its callee, so that ops next to each other in a run
// are next to each other in a block.
//
//   Expected<ExpandedProgram> program = ExpandCalls(module, "main", options);
//   for (const ReachedOp& reached : program->walk.ops) ...   // with the call paths that the calls had
//
// Composites are expanded only if WalkOptions inline them; those that are walked inside have an expanded decomposition.
// A call of a function of several blocks stays, and is followed by the walk.
#ifndef OPBYOP_GENERATOR_GROUP_EXPANDED_PROGRAM_H_
#define OPBYOP_GENERATOR_GROUP_EXPANDED_PROGRAM_H_

#include <string_view>

#include "generator/walk/walk.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/expected.h"

namespace opbyop::generator {

struct ExpandedProgram {
  mlir::OwningOpRef<mlir::ModuleOp> outer;
  mlir::ModuleOp module;  // the module in `outer` that contains the entry function
  Walk walk;
  llvm::DenseMap<mlir::Operation*, mlir::Operation*> original{};  // the op of the program that an op is a copy of
};

// The most ops of a program whose calls are expanded.
inline constexpr int64_t kMostExpanded = int64_t{1} << 20;

// Returns the errors of WalkProgram, and kUnsupported for more than kMostExpanded ops.
Expected<ExpandedProgram> ExpandCalls(mlir::ModuleOp outer, std::string_view entry, WalkOptions options);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_GROUP_EXPANDED_PROGRAM_H_
