// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Evaluates a program on all processes of a grid at once. Each has arguments and results of its own.
//
//   Expected<Values> results = EvaluateOnGrid(module, entry, options, {.partitions = 8}, std::move(arguments));
//
// Arguments and results are numbered in the order of the processes (manifests/cases/grid.h).
#ifndef OPBYOP_REFERENCE_EVAL_OPS_RUN_ON_GRID_H_
#define OPBYOP_REFERENCE_EVAL_OPS_RUN_ON_GRID_H_

#include <functional>
#include <memory>
#include <vector>

#include "manifests/cases/grid.h"
#include "mlir/IR/BuiltinOps.h"
#include "reference/eval/evaluator.h"
#include "reference/grid/running_grid.h"

namespace opbyop::reference {

// Runs in an evaluator that belongs to one process, and returns the results of that process.
using ProcessProgram = std::function<Expected<Values>(Evaluator&)>;

// Calls a function.
ProcessProgram CallOf(mlir::Operation* function, Values arguments);

// Runs one program on each process of the grid and returns the results of each. An error names its process.
Expected<std::vector<Values>> RunOnGrid(const std::shared_ptr<RunningGrid>& grid, mlir::ModuleOp module,
                                        const EvalOptions& options, std::vector<ProcessProgram> programs);

// Runs the same function on all processes. A grid of one process is the evaluator alone.
Expected<Values> EvaluateOnGrid(mlir::ModuleOp module, mlir::Operation* function, const EvalOptions& options,
                                const Grid& grid, Values arguments);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_OPS_RUN_ON_GRID_H_
