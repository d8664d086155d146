// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The replica_groups of a collective op as lists of ids: spelled out, or named by the axes of a mesh.
//
//   Expected<IdGroups> groups = ReplicaGroupsOf(op);   // [[0, 1], [2, 3]]
#ifndef OPBYOP_REFERENCE_GRID_REPLICA_GROUPS_H_
#define OPBYOP_REFERENCE_GRID_REPLICA_GROUPS_H_

#include "mlir/IR/Operation.h"
#include "reference/grid/running_grid.h"
#include "support/expected.h"

namespace opbyop::reference {

// kUnsupported where a mesh is a symbol whose definition says nothing of its axes.
Expected<IdGroups> ReplicaGroupsOf(mlir::Operation* op);

// Rows of a two-dimensional integer attribute: source_target_pairs. Empty where the attribute is absent.
IdGroups RowsOf(mlir::Operation* op, llvm::StringRef attribute);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_GRID_REPLICA_GROUPS_H_
