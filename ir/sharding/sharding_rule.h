// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Says which dimensions of an op's operands and results correspond. Those that do are one factor, and are divided over
// devices together.
//
//   std::optional<ShardingRule> rule = RuleOf(dot);   // ([0, 1], [1, 2]) -> ([0, 2]): i, k; k, j; i, j
//
// There are rules for elementwise ops, products, reductions and data movement. Where the devices have parts of a factor
// that no result has (a contracted dimension), a collective follows the op.
#ifndef OPBYOP_IR_SHARDING_SHARDING_RULE_H_
#define OPBYOP_IR_SHARDING_SHARDING_RULE_H_

#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace opbyop {

// The sizes of the dimensions of a ranked tensor.
inline llvm::ArrayRef<int64_t> SizesOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

struct ShardingRule {
  static constexpr int kWhole = -1;  // every device needs the whole dimension

  using Factors = llvm::SmallVector<int, 4>;  // of each dimension
  llvm::SmallVector<Factors, 4> operands;
  llvm::SmallVector<Factors, 2> results;
  int factors = 0;
};

// nullopt if there is no rule for the op, or if a type is not a static tensor.
std::optional<ShardingRule> RuleOf(mlir::Operation* op);

}  // namespace opbyop

#endif  // OPBYOP_IR_SHARDING_SHARDING_RULE_H_
