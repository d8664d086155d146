// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chooses over which axes an op that runs on parts divides each factor of its rule (ir/sharding/sharding_rule.h).
//
//   FactorAxes axes = ChooseFactorAxes(op, rule, [&](mlir::Value value, size_t dimension) { return stated[value]; });
//   Division local = DivisionOf(rule.results[0], axes);
#ifndef OPBYOP_IR_SHARDING_FACTOR_AXES_H_
#define OPBYOP_IR_SHARDING_FACTOR_AXES_H_

#include <vector>

#include "ir/sharding/sharding_rule.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "support/sharding/axes.h"

namespace opbyop {

// The axes of each factor; empty: every device has all of it.
using FactorAxes = std::vector<Axes>;

// `axes_of` says how a dimension of a result or an operand is divided. Results come before operands. A factor is whole if
// the op divides another factor by the same axes, or if a dimension of it does not divide evenly. Factors of which
// `may_have_padding` is true are divided unevenly too, where all their dimensions have one size: the op then reads and
// writes padding (support/sharding/shards.h).
FactorAxes ChooseFactorAxes(mlir::Operation* op, const ShardingRule& rule,
                            llvm::function_ref<Axes(mlir::Value value, size_t dimension)> axes_of,
                            llvm::function_ref<bool(int factor)> may_have_padding);

// The division of a value whose dimensions have these factors.
Division DivisionOf(const ShardingRule::Factors& factors, const FactorAxes& axes);

// The type of one device's part.
mlir::RankedTensorType LocalType(mlir::RankedTensorType whole, const Division& division);

// Makes attributes of a slice fit, which repeat the size of a dimension that has become smaller.
void ResizeAttributes(mlir::Operation* local);

}  // namespace opbyop

#endif  // OPBYOP_IR_SHARDING_FACTOR_AXES_H_
