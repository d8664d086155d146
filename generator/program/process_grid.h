// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many replicas and partitions a program runs on, and which of its ops care.
//
//   ProcessGrid grid(module);
//   if (grid.Concerns(op)) Copy(grid.attributes());   // mhlo.num_replicas, mhlo.num_partitions
//
// What a collective means depends on the two numbers, which stand on the module. An op is concerned where it, an op
// in its regions or an op of a function that it names is one of StableHLO's distribution ops or a custom call between
// the views of all and of one partition.
#ifndef OPBYOP_GENERATOR_PROGRAM_PROCESS_GRID_H_
#define OPBYOP_GENERATOR_PROGRAM_PROCESS_GRID_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/OperationSupport.h"

namespace opbyop::generator {

class ProcessGrid {
 public:
  explicit ProcessGrid(mlir::ModuleOp module);

  // Those that the module states; none where it states none.
  llvm::ArrayRef<mlir::NamedAttribute> attributes() const { return attributes_; }

  uint64_t replicas() const { return replicas_; }      // 1 where the module does not say
  uint64_t partitions() const { return partitions_; }  // likewise

  // Always false where the module states neither number.
  bool Concerns(mlir::Operation* op);

 private:
  bool IsDistributed(mlir::Operation* op);

  mlir::ModuleOp module_;
  llvm::SmallVector<mlir::NamedAttribute, 2> attributes_;
  uint64_t replicas_ = 1;
  uint64_t partitions_ = 1;
  bool any_ = false;  // the module holds a distributed op at all
  llvm::DenseMap<mlir::OperationName, bool> names_;
  llvm::DenseMap<mlir::Operation*, bool> symbols_;
};

// How many processes the collectives of an op, of its regions and of the functions that it calls need at least: one
// more than the greatest id in replica_groups or source_target_pairs, or as many as a mesh has places. 1 where none is
// named.
int64_t ProcessesNamedBy(mlir::Operation* op);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_PROCESS_GRID_H_
