// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the process groups of collectives in one form, so that programs that mean the same are one case.
//
//   CanonicalizeGroups(module);
//   // mesh axes "tp", dense<[[4, 5], [0, 1], ...]> and dense<> become dense<[[0, 1], [2, 3], [4, 5], [6, 7]]>
//
// Groups become lists of ids without the name of a mesh or of its axes, ordered by their first ids; the order inside a
// group has a meaning and stays. Groups that are left out because all processes are one group are spelled out.
// source_target_pairs are ordered too, and a channel has the number 1. Ops for a single process do not change.
#ifndef OPBYOP_GENERATOR_PROGRAM_CANONICAL_GROUPS_H_
#define OPBYOP_GENERATOR_PROGRAM_CANONICAL_GROUPS_H_

#include "mlir/IR/BuiltinOps.h"

namespace opbyop::generator {

// Does not change groups that cannot be read.
void CanonicalizeGroups(mlir::ModuleOp module);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_CANONICAL_GROUPS_H_
