// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/ops/run_on_grid.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace opbyop::reference {

ProcessProgram CallOf(mlir::Operation* function, Values arguments) {
  return [function, arguments = std::move(arguments)](Evaluator& evaluator) mutable {
    return evaluator.CallFunction(function, std::move(arguments));
  };
}

Expected<std::vector<Values>> RunOnGrid(const std::shared_ptr<RunningGrid>& grid, mlir::ModuleOp module,
                                        const EvalOptions& options, std::vector<ProcessProgram> programs) {
  // One for all processes, which share a thread and leave an op in another order than they enter it.
  const RoundingTowardZero rounding(options.rounds_toward_zero);
  std::vector<Values> results(programs.size());
  for (size_t p = 0; p < programs.size(); ++p) {
    const auto number = static_cast<int64_t>(p);
    const ProcessId id{number / grid->partitions(), number % grid->partitions()};
    // The tasks belong to the grid, so they must not keep it alive.
    auto task = [grid = std::weak_ptr(grid), id, module, &options, &result = results[p],
                 program = std::move(programs[p])]() -> Expected<void> {
      Evaluator evaluator(module, options);
      evaluator.set_process({grid.lock(), id});
      Expected<Values> done = program(evaluator);
      evaluator.process().grid->MarkEnded(id);
      if (!done) return MakeError(done.error().code, fmt::format("{}: {}", NameOf(id), done.error().message));
      result = std::move(*done);
      return {};
    };
    grid->tasks().Spawn(NameOf(id), std::move(task));
  }
  const Expected<void> ran = grid->tasks().Run();
  if (!ran) return Unexpected(ran.error());
  return results;
}

Expected<Values> EvaluateOnGrid(mlir::ModuleOp module, mlir::Operation* function, const EvalOptions& options,
                                const Grid& grid, Values arguments) {
  if (grid == Grid()) return Evaluator(module, options).CallFunction(function, std::move(arguments));
  const size_t count = llvm::cast<mlir::FunctionOpInterface>(function).getNumArguments();
  std::vector<ProcessProgram> programs(static_cast<size_t>(grid.processes()));
  if (arguments.size() != programs.size() * count) {
    return MakeError(ExitCode::kBadInput, fmt::format("{} arguments for {} processes that take {} each",
                                                      arguments.size(), programs.size(), count));
  }
  auto next = arguments.begin();
  for (ProcessProgram& program : programs) {
    const auto end = next + static_cast<std::ptrdiff_t>(count);
    program = CallOf(function, Values(std::make_move_iterator(next), std::make_move_iterator(end)));
    next = end;
  }
  Expected<std::vector<Values>> each =
      RunOnGrid(std::make_shared<RunningGrid>(grid.replicas, grid.partitions), module, options, std::move(programs));
  if (!each) return Unexpected(each.error());
  Values results;
  for (Values& values : *each) std::move(values.begin(), values.end(), std::back_inserter(results));
  return results;
}

}  // namespace opbyop::reference
