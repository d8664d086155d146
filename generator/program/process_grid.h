// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The numbers of replicas and partitions that a program runs on, and the ops that depend on them.
//
//   ProcessGrid grid(module);
//   if (grid.Concerns(op)) Copy(grid.attributes());   // mhlo.num_replicas, mhlo.num_partitions
//   c.grid = grid.Of(op);                             // {.partitions = 8}
//
// The meaning of a collective depends on the two numbers, which are attributes of the module. An op depends on them if
// it, an op in its regions or an op of a function that it names is one of StableHLO's distribution ops, or a custom
// call between the views of all partitions and of one.
#ifndef OPBYOP_GENERATOR_PROGRAM_PROCESS_GRID_H_
#define OPBYOP_GENERATOR_PROGRAM_PROCESS_GRID_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "manifests/cases/grid.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/OperationSupport.h"

namespace opbyop::generator {

// The attributes of a module that state its grid.
inline constexpr llvm::StringLiteral kReplicasAttribute = "mhlo.num_replicas";
inline constexpr llvm::StringLiteral kPartitionsAttribute = "mhlo.num_partitions";

class ProcessGrid {
 public:
  explicit ProcessGrid(mlir::ModuleOp module);

  // The attributes that the module has; empty if it has neither.
  llvm::ArrayRef<mlir::NamedAttribute> attributes() const { return attributes_; }

  uint64_t replicas() const { return replicas_; }      // 1 if the module does not say
  uint64_t partitions() const { return partitions_; }  // 1 if the module does not say

  bool Concerns(mlir::Operation* op);

  // The grid on which the op can be run by itself, as a program of one process. It is the module's, or if the module
  // does not state one, the least that has all processes that the op's collectives name. A single process if the op
  // does not depend on the grid, and if there is no such program: the op takes the tensors of all partitions, it sends
  // to or receives from another op, or it names processes that the module's grid does not have.
  Grid Of(mlir::Operation* op);

  // The grid of ops that are one program: the largest of theirs.
  Grid Of(llvm::ArrayRef<mlir::Operation*> ops);

 private:
  bool IsDistributed(mlir::Operation* op);

  mlir::ModuleOp module_;
  llvm::SmallVector<mlir::NamedAttribute, 2> attributes_;
  uint64_t replicas_ = 1;
  uint64_t partitions_ = 1;
  int64_t mesh_ = 1;  // devices of the module's largest mesh
  bool any_ = false;  // whether the module contains a distributed op
  llvm::DenseMap<mlir::OperationName, bool> names_;
  llvm::DenseMap<mlir::Operation*, bool> symbols_;
};

// How many ids the op's collective counts on a grid: replicas, partitions or all processes.
int64_t IdsInGrid(mlir::Operation* op, const Grid& grid);

// The least number of processes that the collectives of an op, of its regions and of the functions that it calls need:
// one more than the greatest id in replica_groups or source_target_pairs, or the number of devices in a mesh. 1 if none
// is named.
int64_t ProcessesNamedBy(mlir::Operation* op);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_PROCESS_GRID_H_
