// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Estimates what evaluating a program will cost.
//
//   Work work = EstimateWork(module);
//   if (auto reason = TooLarge(work, limits)) ...   // "reference too large: 61.0 G operations, limit 30.0 G"
#ifndef OPBYOP_REFERENCE_EVAL_ESTIMATE_H_
#define OPBYOP_REFERENCE_EVAL_ESTIMATE_H_

#include <optional>
#include <string>

#include "mlir/IR/BuiltinOps.h"
#include "protocol/judging_limits.h"

namespace opbyop::reference {

// The default limit of executed ops, some minutes of evaluation. A program can easily exceed it: functions that call
// each other twice, forty levels deep, execute 10^12 ops.
inline constexpr double kMostExecutions = 1e8;

struct Work {
  double operations = 0;  // multiply-adds and element steps
  double executions = 0;  // ops, calls included, each as often as it is executed
  double bytes = 0;       // peak memory of arguments, values and bounds, as the evaluator holds them
  double live_bytes = 0;  // peak memory of arguments and values, as their types store them
};

struct WorkLimits {
  double operations = protocol::kMostSteps;
  double executions = kMostExecutions;
  double bytes = protocol::kMostBytes;
  double seconds = 10;  // processor time, for programs whose end depends on their inputs, which no estimate covers
  double seconds_of_many_trips = 10;  // the same, of a loop that has made so many trips that it will hardly end
};

// Limits the memory to that of this machine. Operations and time are unlimited.
WorkLimits LimitsOfMachine();

// Estimates the cost of the entry function, calls included. A loop that counts from a constant to a constant costs its
// body once per trip; the body of any other loop is counted once.
Work EstimateWork(mlir::ModuleOp module);

// Whether the reference evaluates the decomposition of a composite that stands for an op of CHLO beside that op. It does
// unless the decomposition alone is too much: the one that JAX writes for chlo.ragged_dot multiplies all rows once for
// each group.
bool EvaluatesDecomposition(mlir::Operation* composite);

std::optional<std::string> TooLarge(const Work& work, const WorkLimits& limits);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_ESTIMATE_H_
