// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the replica_groups of a collective op as lists of ids. The op spells them out or names axes of a mesh.
//
//   Expected<IdGroups> groups = ReplicaGroupsOf(op);   // [[0, 1], [2, 3]]
#ifndef OPBYOP_REFERENCE_GRID_REPLICA_GROUPS_H_
#define OPBYOP_REFERENCE_GRID_REPLICA_GROUPS_H_

#include "mlir/IR/Operation.h"
#include "reference/grid/running_grid.h"
#include "support/expected.h"

namespace opbyop::reference {

// Returns kUnsupported if the mesh is a symbol whose definition does not state its axes.
Expected<IdGroups> ReplicaGroupsOf(mlir::Operation* op);

// The rows of a two-dimensional integer attribute such as source_target_pairs. Empty if the attribute is absent.
IdGroups RowsOf(mlir::Operation* op, llvm::StringRef attribute);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_GRID_REPLICA_GROUPS_H_
