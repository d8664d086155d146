// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// interpreter.run_parallel, which runs a grid of processes; async_start and async_done.
#include <fmt/format.h>

#include <iterator>
#include <ranges>

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/ops/run_on_grid.h"
#include "reference/grid/running_grid.h"

namespace opbyop::reference {
namespace {

// The names of the functions in the grid. Empty if the rows have different lengths.
std::vector<std::vector<std::string>> ProgramsOf(mlir::Operation* op) {
  std::vector<std::vector<std::string>> programs;
  const auto rows = op->getAttrOfType<mlir::ArrayAttr>("programs");
  for (const mlir::Attribute row : rows ? rows.getValue() : llvm::ArrayRef<mlir::Attribute>()) {
    std::vector<std::string>& names = programs.emplace_back();
    for (const mlir::Attribute name : llvm::cast<mlir::ArrayAttr>(row)) {
      names.push_back(llvm::cast<mlir::FlatSymbolRefAttr>(name).getValue().str());
    }
    if (names.size() != programs[0].size()) return {};
  }
  return programs;
}

Expected<Values> RunParallel(OpContext& context) {
  const auto programs = ProgramsOf(context.op);
  if (programs.empty() || programs[0].empty()) {
    return context.Fail(ExitCode::kBadInput,
                        "needs a grid of programs: every replica must have the same number of partitions");
  }
  auto grid =
      std::make_shared<RunningGrid>(static_cast<int64_t>(programs.size()), static_cast<int64_t>(programs[0].size()));
  std::deque<std::string> infeed;
  const auto queue = context.op->getAttrOfType<mlir::ArrayAttr>("infeed");
  for (const mlir::Attribute name : queue ? queue.getValue() : llvm::ArrayRef<mlir::Attribute>()) {
    infeed.push_back(llvm::cast<mlir::FlatSymbolRefAttr>(name).getValue().str());
  }
  grid->SetInfeed(std::move(infeed));

  mlir::ModuleOp module = context.evaluator.module();
  std::vector<ProcessProgram> processes;
  size_t next_input = 0;
  for (const std::string& program : programs | std::views::join) {
    auto function = llvm::dyn_cast_or_null<mlir::FunctionOpInterface>(
        mlir::SymbolTable::lookupSymbolIn(module.getOperation(), program));
    if (!function) return context.Fail(ExitCode::kBadInput, fmt::format("the module has no function @{}", program));
    const size_t count = function.getNumArguments();
    if (next_input + count > context.size()) {
      return context.Fail(ExitCode::kBadInput, "has fewer inputs than its programs take");
    }
    const auto begin = context.operands.begin() + static_cast<std::ptrdiff_t>(next_input);
    processes.push_back(CallOf(function, Values(begin, begin + static_cast<std::ptrdiff_t>(count))));
    next_input += count;
  }
  if (next_input != context.size()) {
    return context.Fail(ExitCode::kBadInput,
                        fmt::format("has {} inputs, its programs take {}", context.size(), next_input));
  }
  Expected<std::vector<Values>> results = RunOnGrid(grid, module, context.evaluator.options(), std::move(processes));
  if (!results) return context.Fail(results.error().code, results.error().message);
  Values out;
  for (Values& values : *results) std::move(values.begin(), values.end(), std::back_inserter(out));
  return out;
}

// Runs the body as a task of its own, over copies of the values that it uses. If there is only one process, there is
// nothing to wait for, and the body runs at once.
Expected<Values> AsyncStart(OpContext& context) {
  mlir::Region& body = context.op->getRegion(0);
  auto future = std::make_shared<FutureState>();
  auto captured = std::make_shared<Scope>();
  body.walk([&](mlir::Operation* op) {
    for (mlir::Value operand : op->getOperands()) {
      if (body.isAncestor(operand.getParentRegion())) continue;
      if (const Value* value = context.scope->Find(operand)) captured->Set(operand, *value);
    }
  });
  Values arguments = body.getNumArguments() == context.size() ? context.operands : Values();
  const GridProcess process = context.evaluator.process();
  auto run = [future, captured, process, &body, options = context.evaluator.options(),
              module = context.evaluator.module(), arguments = std::move(arguments)]() mutable -> Expected<void> {
    Evaluator evaluator(module, options);
    evaluator.set_process(process);
    Expected<Values> done = evaluator.Run(body, std::move(arguments), captured.get());
    if (!done) return MakeError(done.error().code, fmt::format("{}: {}", NameOf(process.id), done.error().message));
    future->values = std::move(*done);
    future->ready = true;
    return {};
  };
  if (process.grid->alone()) {
    const Expected<void> done = run();
    if (!done) return Unexpected(done.error());
  } else {
    process.grid->tasks().Spawn(fmt::format("{} in stablehlo.async_start", NameOf(process.id)), run);
  }
  return Values{Value(Future(future))};
}

Expected<Values> AsyncDone(OpContext& context) {
  const auto* held = std::get_if<Future>(&context.operands[0].v);
  if (held == nullptr) return context.Fail(ExitCode::kBadInput, "takes a future");
  const Future future = *held;
  const Expected<void> there = context.evaluator.process().grid->tasks().WaitUntil(
      [future] { return future->ready; }, [] { return std::string("its own stablehlo.async_start"); });
  if (!there) return context.Fail(there.error().code, there.error().message);
  return future->values;
}

}  // namespace

void AddParallel(EvalTableType& table) {
  table["interpreter.run_parallel"] = &RunParallel;
  table["stablehlo.async_start"] = &AsyncStart;
  table["stablehlo.async_done"] = &AsyncDone;
}

}  // namespace opbyop::reference
