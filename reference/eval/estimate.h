// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What evaluating a program will cost, before it is done.
//
//   Work work = EstimateWork(module);
//   if (auto reason = TooLarge(work, limits)) ...   // "reference too large: 61 G multiply-adds, limit 20 G"
#ifndef OPBYOP_REFERENCE_EVAL_ESTIMATE_H_
#define OPBYOP_REFERENCE_EVAL_ESTIMATE_H_

#include <optional>
#include <string>

#include "mlir/IR/BuiltinOps.h"

namespace opbyop::reference {

// More ops than this are executed for nobody who has not asked for it: some minutes of an evaluator. Functions that
// call each other twice, forty levels deep, execute 10^12.
inline constexpr double kMostExecutions = 1e8;

struct Work {
  double operations = 0;  // multiply-adds and element steps
  double executions = 0;  // ops, calls included, each as often as it is executed
  double bytes = 0;       // most alive at once, as the evaluator holds it: arguments, values and bounds
  double live_bytes = 0;  // most alive at once of arguments and values, as their types store them
};

struct WorkLimits {
  double operations = 3e10;
  double executions = kMostExecutions;
  double bytes = 6e9;
  double seconds = 10;  // of processor time, for what no estimate tells: programs that end under some inputs alone
};

// All that this machine's memory holds, however long its operations take.
WorkLimits LimitsOfMachine();

// Calls are followed; a loop that counts from a constant to a constant costs its body as often, any other once.
Work EstimateWork(mlir::ModuleOp module);

// The trips of a loop that counts by a constant from a constant to a constant, as good as exactly; nothing of all
// others.
std::optional<double> TripsOf(mlir::Operation& loop);

std::optional<std::string> TooLarge(const Work& work, const WorkLimits& limits);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_ESTIMATE_H_
