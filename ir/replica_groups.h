// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the replica_groups of a collective op as lists of ids. The op spells them out or names axes of a mesh.
//
//   Expected<IdGroups> groups = ReplicaGroupsOf(op);   // [[0, 1], [2, 3]]
//   GroupIdsOf(op);                                    // GroupIds::kReplicas
#ifndef OPBYOP_IR_REPLICA_GROUPS_H_
#define OPBYOP_IR_REPLICA_GROUPS_H_

#include <cstdint>
#include <vector>

#include "mlir/IR/Operation.h"
#include "support/expected.h"

namespace opbyop {

using IdGroups = std::vector<std::vector<int64_t>>;

// The sort of the ids in the groups or pairs of a collective (specification, "process groups").
enum class GroupIds {
  kReplicas,              // cross_replica: those of one partition
  kReplicasOfPartitions,  // cross_replica_and_partition: each stands for all its partitions
  kPartitions,            // cross_partition: those of one replica
  kProcesses,             // flattened_ids
};
GroupIds GroupIdsOf(mlir::Operation* op);

// Returns kUnsupported if the mesh is a symbol whose definition does not state its axes.
Expected<IdGroups> ReplicaGroupsOf(mlir::Operation* op);

// The rows of a two-dimensional integer attribute such as source_target_pairs. Empty if the attribute is absent.
IdGroups RowsOf(mlir::Operation* op, llvm::StringRef attribute);

}  // namespace opbyop

#endif  // OPBYOP_IR_REPLICA_GROUPS_H_
