// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds how each value of a program is divided over the devices of its mesh, from the shardings that the program states.
//
//   Expected<Shardings> shardings = PropagateShardings(module);
//   shardings->AxesOf(value, 0);   // {{.stride = 1, .size = 4}}; empty: every device has all of dimension 0
//
// Stated are `sdy.sharding` and `mhlo.sharding` of arguments, results and ops, `sdy.sharding_constraint`, custom calls
// `@Sharding`, and both sides of an `sdy.manual_computation`. From there shardings pass forwards and backwards through
// ops by their rules (ir/sharding/sharding_rule.h), and through calls, composites, loops and branches as they are. What
// is stated is never changed; what devices cannot have as it is stated is left out and noted. The body of a manual
// computation is the program of one device, so nothing in it is sharded.
#ifndef OPBYOP_GENERATOR_SHARD_PROPAGATION_H_
#define OPBYOP_GENERATOR_SHARD_PROPAGATION_H_

#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/sharding/axes.h"

namespace opbyop::generator {

class Shardings {
 public:
  // Empty if no device has less than the whole dimension.
  llvm::ArrayRef<Axis> AxesOf(mlir::Value value, size_t dimension) const;

  bool any() const { return !of_.empty(); }

  // Whether the program states the division of each dimension of the value; a scalar has none.
  bool IsStated(mlir::Value value) const;

  // The number of devices of the largest mesh that the program names; at least as many as an axis needs.
  int64_t devices() const { return devices_; }

  // A statement that is left out, in whole or for one dimension.
  struct LeftOut {
    std::string value;  // "argument 0 of @main", "result 0 of stablehlo.add (f.mlir:3:5)"
    std::string why;
    bool is_understood = true;  // but the value does not divide so
  };
  const std::vector<LeftOut>& left_out() const { return left_out_; }

 private:
  friend class Propagation;
  llvm::DenseMap<mlir::Value, Sharding> of_;
  llvm::DenseMap<mlir::Value, size_t> stated_;  // dimensions whose division is stated
  int64_t devices_ = 1;
  std::vector<LeftOut> left_out_;
};

Shardings PropagateShardings(mlir::ModuleOp module);

// The statements that are left out: "argument 0 of @main: dimension 1 of size 10 does not divide into 4 equal parts".
std::vector<std::string> NotesOf(const Shardings& shardings);

// "result 0 of stablehlo.add (f.mlir:3:5)": a value as messages name it.
std::string NameOfValue(mlir::Value value);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SHARD_PROPAGATION_H_
