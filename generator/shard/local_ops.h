// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes the ops that one device of a mesh runs: ops of a sharded program with the shapes of its parts, without the
// collectives between devices.
//
//   Expected<LocalOps> local = LocalOps::Make(module);
//   local->Of(dot);   // tensor<8x16xf32> x tensor<16x4xf32>, where the program has 16x16 and 16x16 on a mesh of 2x4
//
// Operands are brought to the sharding that the op's rule asks for, and what a collective does before or after the op
// is left out: a product over a divided dimension is one device's part of the sum. A splat constant gets the smaller
// shape; of another constant one device has a part, which becomes an argument.
#ifndef OPBYOP_GENERATOR_SHARD_LOCAL_OPS_H_
#define OPBYOP_GENERATOR_SHARD_LOCAL_OPS_H_

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "generator/program/constants.h"
#include "generator/shard/propagation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/expected.h"

namespace opbyop::generator {

class LocalOps {
 public:
  // Returns kUnsupported if the program states a sharding that is not understood.
  static Expected<LocalOps> Make(mlir::ModuleOp module);

  // The op with the shapes of one device. It is `op` itself if every device has all of its tensors: they are not
  // divided, or there is no rule for the op. A dimension that does not divide evenly has the size of a part with padding.
  mlir::Operation* Of(mlir::Operation* op);

  // Shardings that the program states and no op has, as values and reasons.
  std::vector<std::string> NotDivided() const { return NotesOf(shardings_); }

  // The module in which the made ops are; its function's arguments stand for their operands.
  mlir::OwningOpRef<mlir::ModuleOp> TakeModule() { return std::move(module_); }

 private:
  explicit LocalOps(Shardings shardings) : shardings_(std::move(shardings)) {}

  mlir::Value Operand(mlir::Value value, mlir::RankedTensorType type, mlir::OpBuilder& builder);

  Shardings shardings_;
  ConstantFolder folder_{std::numeric_limits<int64_t>::max()};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::Block* body_ = nullptr;
};

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SHARD_LOCAL_OPS_H_
